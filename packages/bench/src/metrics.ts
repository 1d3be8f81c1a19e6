// The refresh of the metrics of days with 1,000,000 runs of 100 days on PostgreSQL: when all days are computed for the
// first time, and when one past day changed.
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import * as MetricsRefresh from "@svc-runtime/features/metrics/MetricsRefresh"
import { MetricsStore } from "@svc-runtime/features/metrics/MetricsStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresDatabase from "@svc-runtime/postgres/Postgres"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import { sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Clock, Effect, Layer, Redacted } from "effect"
import postgres from "postgres"
import { measure, say } from "./StatementTimes.ts"

const days = 100
const sessionsOfDay = 2000
const runsOfSession = 5

const seed = async (sql: postgres.Sql, first: number) => {
  await sql`
    insert into svc_sessions (session_id, session_type, agent_id, user_id, session_metrics, created_at, updated_at)
    select 's' || d || '-' || s, 'agent', 'a', 'user' || s, '{"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}',
      ${first}::bigint + d * 86400 + s, 1
    from generate_series(0, ${days - 1}::int) d, generate_series(1, ${sessionsOfDay}::int) s`
  await sql`
    insert into svc_runs (
      run_id, session_id, kind, component_id, node, status, created_at, updated_at, model, model_provider, output
    )
    select 'r' || d || '-' || s || '-' || r, 's' || d || '-' || s, 'agent', 'a', '', 'COMPLETED', 1, 1, 'model' || r % 3,
      'provider', json_build_object('content', repeat('words ', 100))
    from generate_series(0, ${days - 1}::int) d, generate_series(1, ${sessionsOfDay}::int) s,
      generate_series(1, ${runsOfSession}::int) r`
  await sql`vacuum analyze`
}

const program = Effect.gen(function*() {
  const server = yield* EmbeddedPostgres.make()
  yield* server.start
  const context = yield* Layer.build(
    SqlStores.layer.pipe(Layer.provide(PostgresDatabase.layer({ url: server.url, maxConnections: 2 })))
  )
  const sql = postgres(Redacted.value(server.url), { max: 1 })
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  // the last one is yesterday
  const first = DayMetrics.startOf(DayMetrics.dayOf(now) - days)
  yield* Effect.promise(() => seed(sql, first))
  say(`${days * sessionsOfDay * runsOfSession} runs of ${days} days`)
  yield* Effect.provideContext(
    Effect.gen(function*() {
      const [metrics, sessions] = [yield* MetricsStore, yield* SessionStore]
      const request = {
        role: "memory_model",
        model: { id: "model0", provider: "provider" },
        usage: { total_tokens: 1 }
      }
      yield* measure("refresh of all days", () => MetricsRefresh.refresh(metrics), 1)
      yield* measure("refresh without a change", () => MetricsRefresh.refresh(metrics), 50)
      yield* measure("refresh after one past day changed", (index) =>
        Effect.andThen(
          sessions.addUsage(sessionId(`s${index}-1`), request, now),
          MetricsRefresh.refresh(metrics)
        ), 50)
      yield* measure("GET /metrics of all days", () => metrics.list({ from: undefined, to: undefined }), 50)
    }),
    context
  )
  yield* Effect.promise(() => sql.end())
})

await Effect.runPromise(Effect.scoped(program))
