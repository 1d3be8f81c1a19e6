// The rate and the processor time of runs whose traces are stored, against runs without the store of traces, on the
// embedded database and on PostgreSQL.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { run } from "./Load.ts"
import { quickstart, start, startFlags } from "./Process.ts"
import * as Rounds from "./Rounds.ts"
import * as Scenarios from "./scenarios.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const rounds = 8
const seconds = 4

const compare = async (name: string, environments: ReadonlyArray<Readonly<Record<string, string>>>) => {
  const [off = [], on = []] = await Rounds.run(
    ["off", "on"].map((TRACES, place) => ({
      name: TRACES,
      start: () => start(quickstart, { ...environments[place], TRACES, LOG_LEVEL: "Error" }, "/ready", startFlags)
    })),
    rounds,
    ({ base, cpuSeconds }) => run(base, { ...Scenarios.runs(8, seconds), cpuSeconds, warmUpRequests: 3000 })
  )
  const [rate, cpu] = [Rounds.ratio(on, off, "perSecond"), Rounds.ratio(on, off, "cpuMicros")]
  say(`${name}: POST run with traces: ${rate.toFixed(3)} of the rate, ${cpu.toFixed(3)} times the processor time`)
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  const url = Redacted.value(server.url)
  const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), "svc-bench-")))
  yield* Effect.promise(() => compare("embedded", directories.map((DATA_DIR) => ({ DATA_DIR, MODEL: "fixed" }))))
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  const sql = postgres(url, { max: 1 })
  const databases = ["bench_off", "bench_on"]
  for (const name of databases) yield* Effect.promise(() => sql.unsafe(`create database ${name}`))
  yield* Effect.promise(() => sql.end())
  const environments = databases.map((name) => {
    const own = new URL(url)
    own.pathname = `/${name}`
    return { DATABASE_URL: own.href, MODEL: "fixed" }
  })
  yield* Effect.promise(() => compare("PostgreSQL", environments))
})

await Effect.runPromise(Effect.scoped(program))
