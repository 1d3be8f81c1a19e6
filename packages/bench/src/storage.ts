// What a streamed word takes in the database: while its run is executing, and when the run has ended and its words are
// folded.
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import { createRequire } from "node:module"
import postgres from "postgres"
import * as Listener from "./Listener.ts"
import * as PacedModel from "./PacedModel.ts"
import { start, startFlags } from "./Process.ts"

const quickstart = createRequire(import.meta.url).resolve("../../examples/src/quickstart.ts")

const say = (line: string) => process.stdout.write(`${line}\n`)
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const runs = 10
const words = 2000

const measure = async (url: string) => {
  const model = await PacedModel.start()
  const service = await start(
    quickstart,
    { DATABASE_URL: url, MODEL: "openai-compatible:paced", OPENAI_BASE_URL: model.url, LOG_LEVEL: "Warn" },
    "/ready",
    startFlags
  )
  const all = await Promise.all(
    Array.from({ length: runs }, (_, index) => Listener.start(service.base, `run-${index}`, `speak ${words} every 1`))
  )
  await Promise.all(all.map(({ ended }) => ended))
  const sql = postgres(url, { max: 1 })
  const bytes = async () => {
    await sql`vacuum full svc_run_events`
    const [row] = await sql`select
      (pg_total_relation_size('svc_run_events') + pg_total_relation_size('svc_run_event_folds'))::float8 as bytes`
    return (Number(row?.["bytes"]) / (runs * words)).toFixed(1)
  }
  const before = await bytes()
  // as if they had ended two minutes ago
  await sql`update svc_runs set updated_at = updated_at - 120`
  while ((await sql`select from svc_run_events where kind = 'RunContent' limit 1`).length > 0) await pause(500)
  const [raw] = await sql`select sum(octet_length(body))::float8 as bytes from svc_run_event_folds`
  const unpacked = (Number(raw?.["bytes"]) / (runs * words)).toFixed(0)
  say(
    `${
      runs * words
    } words of ${runs} runs: ${before} bytes each while their runs are executing, ${await bytes()} when they are ` +
      `folded (${unpacked} before compression)`
  )
  await sql.end()
  await service.stop()
  await model.stop()
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  yield* Effect.promise(() => measure(Redacted.value(server.url)))
})

await Effect.runPromise(Effect.scoped(program))
