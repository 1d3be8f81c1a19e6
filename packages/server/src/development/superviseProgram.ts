// Starts the program, and starts it again when one of its files changes. A second process has loaded the service and
// waits.
// @effect-diagnostics globalTimers:off newPromise:off asyncFunction:off -- this process has no Effect
import { constants } from "node:os"
import { relative, resolve } from "node:path"
import { FileWatch } from "./FileWatch.ts"
import { environmentFile } from "./processMark.ts"
import { type End, type Program, ProgramProcess } from "./ProgramProcess.ts"

/** Milliseconds from a start. The next process is not loaded while the program starts. */
const breath = 1500

const say = (text: string) => process.stdout.write(`${text}\n`)

const codeOf = ({ code, signal }: End): number => code ?? 128 + (signal === null ? 0 : constants.signals[signal])

const describe = ({ code, signal }: End): string => signal === null ? `code ${code}` : `signal ${signal}`

/** Never resolves: the process ends with its program, after a signal. */
export const superviseProgram = (program: Program): Promise<never> => {
  let isStopping = false
  let waiting: ProgramProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let restarts = Promise.resolve()
  const make = () => new ProgramProcess(program, watch)

  const wait = () => {
    const process = make()
    waiting = process
    void process.ended.then(() => {
      if (waiting === process) waiting = undefined
    })
  }

  const start = (): ProgramProcess => {
    const next = waiting ?? make()
    waiting = undefined
    next.start()
    timer = setTimeout(wait, breath)
    void next.ended.then((end) => {
      if (next !== running || isStopping) return
      say(`The program has ended with ${describe(end)}. It starts again when one of its files changes.`)
    })
    return next
  }

  const restart = async (files: ReadonlyArray<string>) => {
    if (isStopping) return
    clearTimeout(timer)
    const before = running
    running = undefined
    // what it has loaded is not what is there now
    if (files.some((file) => waiting?.files.has(file) === true)) {
      waiting?.kill("SIGKILL")
      waiting = undefined
    }
    await before?.stop()
    if (!isStopping) running = start()
  }

  const watch = new FileWatch((files) => {
    say(`${files.map((file) => relative("", file)).join(", ")} changed: restarting`)
    restarts = restarts.then(() => restart(files))
  })
  watch.add(resolve(environmentFile))
  watch.add(resolve(program.program))
  let running: ProgramProcess | undefined = start()

  const stop = (signal: NodeJS.Signals) => {
    isStopping = true
    clearTimeout(timer)
    waiting?.kill("SIGKILL")
    const last = running
    // a terminal sends Ctrl-C to the program as well, and a second signal would end it at once
    if (signal !== "SIGINT" || process.stdin.isTTY !== true) last?.kill(signal)
    void (last?.ended ?? Promise.resolve({ code: 0, signal: null })).then((end) => process.exit(codeOf(end)))
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
  return new Promise(() => {})
}
