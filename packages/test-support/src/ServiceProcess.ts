// A service in a process of its own, for what only a process can show: starting, stopping, being killed. It is waited
// for by what it says, never by the clock, and never outlives its scope.
import { Effect, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"

export class ServiceDidNotStart extends Schema.TaggedError<ServiceDidNotStart>()("ServiceDidNotStart", {
  code: Schema.NullOr(Schema.Int),
  output: Schema.String
}) {
  override get message() {
    return `The service ended with ${this.code} and wrote:\n${this.output}`
  }
}

/** A service that may not answer yet. */
export interface Launched {
  readonly pid: number
  /** Its output so far. */
  readonly stdout: () => string
  /** Waits for a line that contains the text. */
  readonly saying: (text: string) => Effect.Effect<string>
  /** Sends a signal and gives the exit code, or the signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<number | NodeJS.Signals>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly ended: Effect.Effect<number | NodeJS.Signals>
  readonly isRunning: () => boolean
  /** Waits until the service is ready, and gives its URL. */
  readonly greeted: Effect.Effect<string, ServiceDidNotStart>
}

export interface ServiceProcess extends Launched {
  readonly url: string
}

/** What every process starts with. Node keeps what it has compiled for later processes. */
export const environment = (): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: process.env["TMPDIR"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
})

const endsWithTest = new URL("internal/endsWithTest.ts", import.meta.url).href

/** The quickstart starts from its bundle, as `npm start` starts it, and in two thirds of the processor time. */
const bundled = new URL("../../../scripts/bundled.mjs", import.meta.url).href

/** A service of a test ends too soon to win back what optimizing the code of its embedded database costs. */
export const flags = ["--liftoff-only"]

const endOf = (child: ChildProcess): Effect.Effect<number | NodeJS.Signals> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.succeed(child.signalCode ?? child.exitCode ?? -1))
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once("close", done)
  })

/** `file` is a TypeScript file that serves; `PORT` is chosen here, unless the environment does. */
export const launch = Effect.fnUntraced(function*(file: string, env: Readonly<Record<string, string>>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...flags, "--import", endsWithTest, "--import", bundled, file], {
        env: { ...environment(), ...env },
        stdio: ["ignore", "ignore", "pipe", "pipe"]
      })
    ),
    (child) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        endOf(child)
      )
  )
  const lines: Array<string> = []
  const listeners = new Set<(line: string) => void>()
  let unfinished = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (unfinished + chunk).split("\n")
    unfinished = parts.pop() ?? ""
    for (const line of parts) {
      lines.push(line)
      for (const listener of listeners) listener(line)
    }
  })
  const saying = (text: string): Effect.Effect<string> =>
    Effect.callback((resume) => {
      const known = lines.find((line) => line.includes(text))
      if (known !== undefined) return resume(Effect.succeed(known))
      const listener = (line: string) => {
        if (!line.includes(text)) return
        listeners.delete(listener)
        resume(Effect.succeed(line))
      }
      listeners.add(listener)
      return Effect.sync(() => listeners.delete(listener))
    })
  const output = () => [...lines, unfinished].join("\n")
  const failed = Effect.flatMap(
    endOf(child),
    (code) => Effect.fail(new ServiceDidNotStart({ code: typeof code === "number" ? code : null, output: output() }))
  )
  const launched: Launched = {
    pid: child.pid ?? 0,
    stdout: output,
    saying,
    signal: (signal) => Effect.sync(() => void child.kill(signal)),
    ended: endOf(child),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    end: (signal) =>
      Effect.andThen(
        Effect.sync(() => child.kill(signal)),
        endOf(child)
      ),
    greeted: Effect.map(
      Effect.raceFirst(saying(" listens on http"), failed),
      (greeting) => /listens on (http:\/\/[^\s"(]+)/.exec(greeting)?.[1] ?? ""
    )
  }
  return launched
})

/** The same, when it answers. */
export const start = Effect.fnUntraced(function*(file: string, env: Readonly<Record<string, string>>) {
  const launched = yield* launch(file, env)
  const service: ServiceProcess = { ...launched, url: yield* launched.greeted }
  return service
})
