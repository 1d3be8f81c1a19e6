// What authors wait for: the service of a test, and the first run of a script, in memory and with a directory. Each
// figure is the median of processes of their own: the time, and the processor time, which other programs change less.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const rounds = 5
const names = ["load", "ready", "first run", "second service"] as const

/** Milliseconds, and those of the processor. */
type Time = readonly [elapsed: number, processor: number]

type Times = Partial<Record<typeof names[number], Time>>

/** Since the process was started, or since the last call. */
const stopwatch = () => {
  let last: Time = [0, 0]
  return (): Time => {
    const { system, user } = process.cpuUsage()
    const now: Time = [performance.now(), (system + user) / 1000]
    const time: Time = [now[0] - last[0], now[1] - last[1]]
    last = now
    return time
  }
}

const test = async (): Promise<Times> => {
  const lap = stopwatch()
  const { Agent } = await import("@svc-runtime/server")
  const { scriptedModel, testService } = await import("@svc-runtime/testing")
  const load = lap()
  const assistant = Agent.make({ id: "assistant", model: scriptedModel(["One.", "Two."]) })
  const service = await testService({ agents: [assistant] })
  const ready = lap()
  await service.run(assistant, "Hello")
  const run = lap()
  const second = await testService({ agents: [assistant] })
  const again = lap()
  await second.close()
  await service.close()
  return { load, ready, "first run": run, "second service": again }
}

const script = async (): Promise<Times> => {
  const lap = stopwatch()
  const { Agent, Local } = await import("@svc-runtime/server")
  const load = lap()
  await Agent.make({ id: "assistant", model: "fixed" }).run("Hello")
  const run = lap()
  await Local.close()
  return { load, "first run": run }
}

const programs = { test, script }

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

const measure = (title: string, program: keyof typeof programs, environment: () => NodeJS.ProcessEnv) => {
  const all = Array.from({ length: rounds }, () => {
    const { stderr, stdout } = spawnSync(process.execPath, [import.meta.filename, program], {
      env: { ...process.env, ...environment() },
      encoding: "utf8"
    })
    if (stdout === "") throw new Error(stderr)
    return JSON.parse(stdout) as Times
  })
  const figures = names.flatMap((name) => {
    const times = all.flatMap(({ [name]: time }) => time === undefined ? [] : [time])
    const [elapsed, processor] = [times.map(([time]) => time), times.map(([, time]) => time)]
    return times.length === 0 ? [] : [`${name} ${median(elapsed).toFixed(0)} ms (${median(processor).toFixed(0)} ms)`]
  })
  process.stdout.write(`${title}: ${figures.join(", ")}\n`)
}

const [, , program] = process.argv
if (program === "test" || program === "script") {
  process.stdout.write(JSON.stringify(await programs[program]()))
} else {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"))
  let count = 0
  try {
    measure("The service of a test", "test", () => ({}))
    measure("A script in memory", "script", () => ({}))
    measure("A script in a new directory", "script", () => ({ DATA_DIR: join(directory, String(count++)) }))
    measure("A script in a directory that it knows", "script", () => ({ DATA_DIR: join(directory, "0") }))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
