// Figures of days on the wire.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import { session, userId } from "@svc-runtime/test-support/suites/Samples"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, badRequest, column, get, invalid, list, notFound, post, runWhole, second, serve, uuid } from "../Wire.ts"
import { plain } from "./Fixtures.ts"

Tier.oneIn(3)

const today = DayMetrics.startOf(DayMetrics.dayOf(second))
const secondsPerDay = 86_400

/** With the stores of its first database. */
const served = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const { database: change = (same: Database) => same } = options
  let stores: Database | undefined
  const server = yield* serve({
    ...options,
    database: (database) => {
      stores ??= database
      return change(database)
    }
  })
  /** A session on each of the days before today. */
  const fill = (...daysAgo: ReadonlyArray<number>) =>
    Effect.forEach(
      daysAgo,
      (days) => stores!.sessions.create(session({ user_id: userId("ann"), created_at: today - days * secondsPerDay }))
    )
  return { server, fill, stores: () => stores! }
})

const datesOf = (days: unknown) => column(days, "date")

const noTokens = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  audio_total_tokens: 0,
  audio_input_tokens: 0,
  audio_output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0
}

describe("GET /metrics", () => {
  it.effect("a day has its counts, tokens and models, and is computed by the read", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const server = yield* serve({ agents: [agent] })
      yield* runWhole(server, "plain", { message: "hi", user_id: "ann", session_id: "s" })
      yield* runWhole(server, "plain", { message: "hi", user_id: "ann", session_id: "s" })
      const { json } = yield* get(server, "/metrics")
      const id = at(json, "metrics", 0, "id")
      const { cost: _, details: __, ...used } = at(
        (yield* get(server, "/sessions/s")).json,
        "metrics"
      ) as Usage.SessionMetrics
      assert.match(String(id), uuid)
      assert.deepStrictEqual<unknown>(json, {
        metrics: [{
          id,
          agent_runs_count: 2,
          agent_sessions_count: 1,
          team_runs_count: 0,
          team_sessions_count: 0,
          workflow_runs_count: 0,
          workflow_sessions_count: 0,
          users_count: 1,
          token_metrics: { ...noTokens, ...used },
          model_metrics: [{ model_id: "scripted", model_provider: "Scripted", count: 2 }],
          date: "2026-11-21T00:00:00Z",
          created_at: "2026-11-21T01:10:13Z",
          updated_at: "2026-11-21T01:10:13Z"
        }],
        updated_at: "2026-11-21T01:10:13Z"
      })
    }))

  it.effect("days are limited by dates that both belong to the range, and the update is that of all days", () =>
    Effect.gen(function*() {
      const { fill, server } = yield* served()
      yield* fill(0, 1, 3, 5)
      const dates = Effect.fnUntraced(function*(query: string) {
        const { json } = yield* get(server, `/metrics${query}`)
        return [datesOf(list(json, "metrics")), at(json, "updated_at")]
      })
      const [first, second, third, fourth] = ["16", "18", "20", "21"].map((day) => `2026-11-${day}T00:00:00Z`)
      const updated = "2026-11-21T01:10:13Z"
      assert.deepStrictEqual(yield* dates(""), [[first, second, third, fourth], updated])
      assert.deepStrictEqual(yield* dates("?starting_date=2026-11-18&ending_date=2026-11-20"), [
        [second, third],
        updated
      ])
      assert.deepStrictEqual(yield* dates("?ending_date=2026-11-15"), [[], null])
      assert.deepStrictEqual(yield* dates("?starting_date=2026-11-20&ending_date=2026-11-18"), [[], null])
    }))

  it.effect("a read refreshes when the last refresh is a minute old, and shows what is stored if that fails", () =>
    Effect.gen(function*() {
      let isFailing = false
      const { fill, server } = yield* served({
        database: (database) => ({
          ...database,
          metrics: {
            ...database.metrics,
            outdated: (day) =>
              isFailing ? Effect.fail(new StorageUnavailable({ cause: "cut" })) : database.metrics.outdated(day)
          }
        })
      })
      const count = Effect.map(get(server, "/metrics"), ({ json }) => at(json, "metrics", 0, "agent_sessions_count"))
      yield* fill(0)
      assert.strictEqual(yield* count, 1)
      yield* fill(0)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* count, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* count, 2)
      yield* fill(0)
      isFailing = true
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* count, 2)
      assert.include(server.logs.map(({ message }) => message), "The metrics of days could not be refreshed")
      isFailing = false
      yield* post(server, "/metrics/refresh", {})
      assert.strictEqual(yield* count, 3)
    }))

  it.effect.each(["2026-13-01", "2026-02-30", "yesterday", "", "2026-1-1", "2026-11-21T00:00:00Z", "99999-01-01"])(
    "the date %j is refused",
    (date) =>
      Effect.gen(function*() {
        const answer = yield* get(yield* serve(), `/metrics?starting_date=${date}`)
        invalid(answer, [["query", "starting_date"], "date_parsing"])
      })
  )

  it.effect("each endpoint takes the database and its table, and responds with the errors of the choice", () =>
    Effect.gen(function*() {
      const { fill, server } = yield* served({ databases: ["main-db", "other-db"] })
      yield* fill(0)
      for (const [path, init] of [["/metrics"], ["/metrics/refresh", "POST"], ["/metrics/refresh/status"]] as const) {
        const ask = (query: string) => init === undefined ? get(server, path + query) : post(server, path + query, {})
        badRequest(yield* ask(""), "The db_id query parameter is required when using multiple databases")
        badRequest(yield* ask("?table=x"), "The db_id query parameter is required when passing a table")
        notFound(yield* ask("?db_id=zz"), "No database found with id 'zz'")
        notFound(yield* ask("?db_id=main-db&table=x"), "No database with id 'main-db' has table 'x'")
        assert.strictEqual((yield* ask("?db_id=main-db&table=svc_metrics")).status, 200)
      }
      assert.deepStrictEqual(list((yield* get(server, "/metrics?db_id=other-db")).json, "metrics"), [])
      assert.lengthOf(list((yield* get(server, "/metrics?db_id=main-db")).json, "metrics"), 1)
    }))
})

describe("POST /metrics/refresh", () => {
  it.effect("the response has the days that were computed, and none if no day needs it", () =>
    Effect.gen(function*() {
      const { fill, server } = yield* served()
      assert.strictEqual((yield* post(server, "/metrics/refresh", {})).text, "[]")
      yield* fill(1, 2)
      const answer = yield* post(server, "/metrics/refresh", {})
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(datesOf(answer.json), ["2026-11-19T00:00:00Z", "2026-11-20T00:00:00Z"])
      assert.strictEqual((yield* post(server, "/metrics/refresh", {})).text, "[]")
    }))

  it.effect("a refresh in the background runs once at a time, and its status is that of the last one", () =>
    Effect.gen(function*() {
      const { fill, server, stores } = yield* served()
      yield* fill(1)
      const status = Effect.map(get(server, "/metrics/refresh/status"), ({ json }) => json)
      assert.deepStrictEqual<unknown>(yield* status, {
        status: "idle",
        started_at: null,
        finished_at: null,
        error: null
      })
      const start = post(server, "/metrics/refresh?background=true", {})
      const first = yield* start
      assert.strictEqual(first.status, 202)
      assert.deepStrictEqual<unknown>(first.json, {
        status: "started",
        message: "Metrics refresh started in background"
      })
      const started_at = "2026-11-21T01:10:13Z"
      assert.deepStrictEqual<unknown>(yield* status, { status: "running", started_at, finished_at: null, error: null })
      const second = yield* start
      assert.strictEqual(second.status, 202)
      assert.deepStrictEqual<unknown>(second.json, {
        status: "already_running",
        message: "A metrics refresh is already in progress for this database"
      })
      for (let n = 0; n < 10; n++) yield* TestClock.adjust("1 second")
      assert.strictEqual(at(yield* status, "status"), "completed")
      assert.isString(at(yield* status, "finished_at"))
      assert.lengthOf((yield* stores().metrics.list({ from: undefined, to: undefined })).days, 1)
      assert.strictEqual(at((yield* start).json, "status"), "started")
    }))

  it.effect("a refresh in the background that fails says why", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        database: (database) => ({
          ...database,
          metrics: { ...database.metrics, outdated: () => Effect.fail(new StorageUnavailable({ cause: "cut" })) }
        })
      })
      yield* post(server, "/metrics/refresh?background=true", {})
      for (let n = 0; n < 30; n++) yield* TestClock.adjust("1 second")
      const { json } = yield* get(server, "/metrics/refresh/status")
      assert.strictEqual(at(json, "status"), "failed")
      assert.isString(at(json, "error"))
    }))
})
