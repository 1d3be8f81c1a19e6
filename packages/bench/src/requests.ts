// What a request costs: lists and sessions that are read, and runs, compared with `GET /health` and with the floor.
// Starts PostgreSQL, the floor and the service, puts load on them one after the other, and prints what came out.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { parseArgs } from "node:util"
import { type Figures, run, type Scenario } from "./Load.ts"
import { quickstart, type Running, start, startFlags } from "./Process.ts"
import { health, listSessions, readSession, runs, runsInOneSession, streams } from "./scenarios.ts"

const { values } = parseArgs({ options: { seconds: { type: "string", default: "5" } } })
const seconds = Number(values.seconds)

const file = (relative: string) => new URL(relative, import.meta.url).pathname

const say = (line: string) => process.stdout.write(`${line}\n`)

const row = (name: string, figures: Figures, note = "") => {
  const cells = [
    name.padEnd(44),
    figures.perSecond.toFixed(0).padStart(8),
    figures.p50.toFixed(2).padStart(8),
    figures.p99.toFixed(2).padStart(8),
    figures.firstByteP50.toFixed(2).padStart(8),
    figures.cpuMicros.toFixed(0).padStart(8)
  ]
  say(`${cells.join(" ")}  ${note}${figures.errors === 0 ? "" : ` ERRORS ${figures.errors}: ${figures.firstError}`}`)
}

const head = (title: string) => {
  say(`\n${title}`)
  say(
    `${"".padEnd(44)} ${"req/s".padStart(8)} ${"p50 ms".padStart(8)} ${"p99 ms".padStart(8)} ${
      "first ms".padStart(8)
    } ${"cpu us".padStart(8)}`
  )
}

const measure = async (name: string, server: Running, scenario: Scenario, compare?: (figures: Figures) => string) => {
  const figures = await run(server.base, { ...scenario, cpuSeconds: server.cpuSeconds })
  row(name, figures, compare?.(figures))
  return figures
}

const ratio = (floor: Figures) => (figures: Figures) =>
  `${(figures.perSecond / floor.perSecond).toFixed(2)} of the floor`

/**
 * Scenarios whose processor time is compared are compiled first. V8 compiles hot functions again until some 15,000
 * requests are done: in a second, thousands of requests for `/health` are
 * answered, and hundreds of runs.
 */
const compiled = (scenario: Scenario): Scenario => ({ ...scenario, warmUpRequests: 16_000 })

/** Processor time, as a multiple of what `GET /health` takes in the same sitting: steadier than rates. */
const multiple = (nothing: Figures) => (figures: Figures) =>
  `${(figures.cpuMicros / nothing.cpuMicros).toFixed(1)} times the processor time of /health`

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`

const onPostgres = async (url: string) => {
  const floor = await start(file("./floor.ts"), { PG_URL: url }, "/sessions/none")
  head("The floor: node:http and a driver, PostgreSQL")
  const floorRead = await measure("read one session, 20 connections", floor, readSession(20, seconds))
  const floorRun = await measure("run, a session each, 20 connections", floor, runs(20, seconds))
  await measure("run, one connection", floor, runs(1, seconds))
  await floor.stop()

  const service = await start(
    quickstart,
    { DATABASE_URL: url, MODEL: "fixed", LOG_LEVEL: "Warn" },
    "/ready",
    startFlags
  )
  head("The service, PostgreSQL")
  const nothing = await measure("health, 20 connections", service, compiled(health(20, seconds)))
  const times = multiple(nothing)
  const both = (floor: Figures) => (figures: Figures) => `${ratio(floor)(figures)}, ${times(figures)}`
  await measure("read one session, 20 connections", service, compiled(readSession(20, seconds)), both(floorRead))
  await measure("list 20 sessions, 20 connections", service, compiled(listSessions(20, seconds)), times)
  const own = await measure("run, a session each, 20 connections", service, compiled(runs(20, seconds)), both(floorRun))
  const versusOwn = (figures: Figures) => `${(figures.perSecond / own.perSecond).toFixed(2)} of a session each`
  for (const earlier of [10, 1000]) {
    const one = runsInOneSession({ connections: 20, seconds, earlier, agent: "assistant" })
    await measure(`run, one session for all, in turns, ${earlier} earlier`, service, one, versusOwn)
  }
  await measure("run, one connection", service, runs(1, seconds))
  await measure("streamed run, one connection", service, streams(1, seconds))
  await measure("streamed run, 20 connections", service, compiled(streams(20, seconds)), times)
  say(`resident memory after the load: ${megabytes(service.residentMemory())}`)
  await service.stop()
}

const sideBySide = async (url: string) => {
  const env = { DATABASE_URL: url, MODEL: "fixed", LOG_LEVEL: "Warn" }
  const service = await start(file("./plainService.ts"), env, "/ready", startFlags)
  head("The service, PostgreSQL, an agent whose runs see nothing of each other")
  const own = await measure("run, a session each, 20 connections", service, runs(20, seconds, "plain"))
  for (const earlier of [10, 1000]) {
    const one = runsInOneSession({ connections: 20, seconds, earlier, agent: "plain" })
    await measure(
      `run, one session for all, ${earlier} earlier`,
      service,
      one,
      (figures) => `${(figures.perSecond / own.perSecond).toFixed(2)} of a session each`
    )
  }
  await service.stop()
}

const program = Effect.gen(function*() {
  // As in production: a commit waits for the disk.
  const postgres = yield* EmbeddedPostgres.make({ durable: true })
  yield* postgres.start
  yield* Effect.promise(() => onPostgres(Redacted.value(postgres.url)))
  yield* Effect.promise(() => sideBySide(Redacted.value(postgres.url)))
})

await Effect.runPromise(Effect.scoped(program))
