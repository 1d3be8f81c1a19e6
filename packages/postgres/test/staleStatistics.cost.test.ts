// What statements read in a database whose statistics are older than its rows: as much as with statistics of today.
import { assert, layer } from "@effect/vitest"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newRun, sessionId } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as CreateColumns from "../src/runs/CreateColumns.ts"
import * as CreateStatement from "../src/runs/CreateStatement.ts"
import { pagesOf, pagesOfCall } from "./pagesOf.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

const ended = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_sessions (session_id, session_type, agent_id, created_at, updated_at)
    select 'session-' || number, 'agent', 'a', 1, 1 from generate_series(1, 5000) as number`
  yield* sql`
    insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
    select 'run-' || number, 'session-' || number, 'agent', 'a', 'node', 'COMPLETED', 1, 1, '{}'
    from generate_series(1, 5000) as number`
  yield* sql`
    insert into svc_jobs (id, kind, key, status, payload, max_attempts, is_due, turn, run_at)
    select 'job-' || number, 'kind', 'key-' || number, 'COMPLETED', '{}', 3, false, number, now()
    from generate_series(1, 5000) as number`
})

const unfinished = (name: string, count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
      select ${name}::text || number, 'session-' || number, 'agent', 'a', 'node', 'RUNNING', 1, 1, '{}'
      from generate_series(1, ${count}::int) as number`)

const delayed = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into svc_jobs (id, kind, key, status, payload, max_attempts, is_due, turn, run_at)
      select 'delayed-' || ${count}::int || '-' || number, 'kind', 'key-' || number, 'PENDING', '{}', 3, false, number,
        now() + interval '1 hour'
      from generate_series(1, ${count}::int) as number`)

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("The cost with old statistics", (it) => {
  it.effect("a run that starts reads no unfinished runs of other sessions, whenever statistics were collected", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* ended
      const begin = Effect.suspend(() => {
        const run = newRun({ session_id: sessionId(), if_busy: "interrupt" })
        const known = newRun({ session_id: "session-7" as never, component_id: "a" as never, if_busy: "interrupt" })
        const encoded = [run, known].map((one) => CreateColumns.encode(one, "begin"))
        return pagesOf(
          CreateStatement.variantFor({ isLimited: false, isPlaced: false }).skipsLocked,
          CreateColumns.parameters(encoded, { history: 1e6, inline: 1e6 })
        )
      })
      const pages: Array<number> = []
      yield* sql`analyze`
      for (const count of [10, 5000]) {
        yield* unfinished(`unfinished-${count}-`, count)
        pages.push(yield* begin)
      }
      const [few, many] = pages
      assert.isAtMost(many!, few! + 20, JSON.stringify(pages))
    }))

  it.effect("a repeating job is stored without reading the delayed jobs of other keys", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* JobStore
      const missing = jobs.enqueueMissing(job({ kind: "kind", key: "key", isUnique: true }))
      const pages: Array<number> = []
      yield* sql`analyze`
      for (const count of [10, 5000]) {
        yield* delayed(count)
        pages.push(yield* pagesOfCall(missing))
      }
      yield* sql`analyze`
      pages.push(yield* pagesOfCall(missing))
      const [few, ...many] = pages
      for (const one of many) assert.isAtMost(one, few! + 20, JSON.stringify(pages))
    }))
})
