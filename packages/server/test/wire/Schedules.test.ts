// Schedules on the wire: what is stored and shown, what is refused, and with which texts.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveOpen } from "../authorization/Closed.ts"
import { ask, at, column, failed, get, invalid, list, notFound, post, second, send, serve } from "../Wire.ts"

Tier.oneIn(10)

const fields = { name: "Daily report", cron_expr: "0 9 * * *", endpoint: "/reports" }

const made = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object = {}) {
  const { json, status, text } = yield* post(server, "/schedules", { ...fields, ...body })
  assert.strictEqual(status, 201, text)
  return { json, path: `/schedules/${String(at(json, "id"))}` }
})

const nine = second - second % 86_400 + 9 * 3600

describe("schedules", () => {
  it.effect("next times are those of the clock of the database, also on a node whose clock is wrong", () =>
    Effect.gen(function*() {
      const day = 86_400
      const server = yield* serve({
        database: (made) => ({ ...made, schedules: { ...made.schedules, now: Effect.succeed(second + day) } })
      })
      const { json, path } = yield* made(server)
      assert.strictEqual(at(json, "next_run_at"), nine + day)
      const changed = yield* send(server, "PATCH", path, { cron_expr: "0 10 * * *" })
      assert.strictEqual(at(changed.json, "next_run_at"), nine + day + 3600)
      const enabled = yield* post(server, `${path}/enable`, {})
      assert.strictEqual(at(enabled.json, "next_run_at"), nine + day + 3600)
      const { json: next } = yield* get(server, `${path}/next?count=1`)
      assert.deepStrictEqual(at(next, "times"), [nine + day + 3600])
    }))

  it.effect("the next times of a cron expression are shown before a schedule has it", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json } = yield* get(server, "/schedules/next?cron_expr=0%209%20*%20*%20*&count=2")
      assert.deepStrictEqual(json, { timezone: "UTC", times: [nine, nine + 86_400] })
      const kolkata = yield* get(server, "/schedules/next?cron_expr=0%209%20*%20*%20*&timezone=Asia/Kolkata&count=1")
      assert.deepStrictEqual(kolkata.json, { timezone: "Asia/Kolkata", times: [nine - 5.5 * 3600] })
      const daily = yield* get(server, "/schedules/next?cron_expr=@daily")
      assert.strictEqual(list(daily.json, "times").length, 5)
      invalid(yield* get(server, "/schedules/next?cron_expr=0%209"), [["query", "cron_expr"], "value_error"])
      for (const refused of ["constructor", "__proto__", "0 0 30 2 *&timezone=Europe/Berlin"]) {
        invalid(yield* get(server, `/schedules/next?cron_expr=${refused}`), [["query", "cron_expr"], "value_error"])
      }
      invalid(yield* get(server, "/schedules/next"), [["query", "cron_expr"], "missing"])
      invalid(yield* get(server, "/schedules/next?cron_expr=@daily&timezone=Mars"), [
        ["query", "timezone"],
        "value_error"
      ])
      assert.strictEqual((yield* get(server, "/schedules/next?cron_expr=@daily&count=101")).status, 422)
    }))

  it.effect("a schedule is made with its defaults, read, listed and removed", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json, path } = yield* made(server)
      assert.deepStrictEqual(json, {
        id: at(json, "id"),
        ...fields,
        author: null,
        declared: false,
        description: null,
        method: "POST",
        payload: null,
        timezone: "UTC",
        timeout_seconds: 3600,
        max_retries: 0,
        retry_delay_seconds: 60,
        catch_up: "one",
        catch_up_window_seconds: 31_536_000,
        overlap: "skip",
        jitter_seconds: 0,
        enabled: true,
        consecutive_failures: 0,
        paused_reason: null,
        next_run_at: nine,
        created_at: second,
        updated_at: null
      })
      assert.deepStrictEqual((yield* get(server, path)).json, json)
      yield* made(server, { name: "other" })
      const all = yield* get(server, "/schedules")
      assert.deepStrictEqual(column(list(all.json, "data"), "name"), ["other", fields.name])
      assert.deepInclude(at(all.json, "meta"), { page: 1, limit: 100, total_count: 2 })
      assert.strictEqual((yield* ask(server, path, { method: "DELETE" })).status, 204)
      notFound(yield* ask(server, path, { method: "DELETE" }), "Schedule not found")
    }))

  it.effect("a patch changes what it names, computes the next time, and keeps an empty one as it was", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json, path } = yield* made(server, { description: "a" })
      assert.deepStrictEqual((yield* send(server, "PATCH", path, {})).json, json)
      const changed = yield* send(server, "PATCH", path, {
        timezone: "Asia/Kolkata",
        method: "get",
        description: null,
        payload: { a: 1 }
      })
      assert.deepInclude(changed.json as object, {
        next_run_at: nine - 5.5 * 3600,
        method: "GET",
        description: null,
        payload: { a: 1 },
        updated_at: second
      })
      invalid(yield* send(server, "PATCH", path, { name: null }), [["body", "name"], "string_type"])
    }))

  it.effect("disabling keeps the next time, and enabling computes it", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json, path } = yield* made(server)
      const state = { id: at(json, "id"), name: fields.name, next_run_at: nine, updated_at: second }
      const disabled = yield* post(server, `${path}/disable`, {})
      assert.deepStrictEqual(disabled.json, { ...state, enabled: false })
      assert.deepStrictEqual((yield* post(server, `${path}/disable`, {})).json, disabled.json)
      failed(yield* post(server, `${path}/trigger`, {}), 409, "CONFLICT", "Schedule is disabled")
      assert.deepStrictEqual(column(list((yield* get(server, "/schedules?enabled=true")).json, "data"), "id"), [])
      assert.deepStrictEqual((yield* post(server, `${path}/enable`, {})).json, { ...state, enabled: true })
    }))

  it.effect("a repeated trigger with its key gives the first response, also after the schedule was disabled", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { path } = yield* made(server, { payload: { message: "Report" } })
      const trigger = ask(server, `${path}/trigger`, { method: "POST", headers: { "idempotency-key": "once" } })
      yield* post(server, `${path}/disable`, {})
      failed(yield* trigger, 409, "CONFLICT", "Schedule is disabled")
      yield* post(server, `${path}/enable`, {})
      const first = yield* trigger
      assert.strictEqual(first.status, 200, first.text)
      yield* post(server, `${path}/disable`, {})
      assert.deepStrictEqual((yield* trigger).json, first.json)
      assert.deepStrictEqual(list((yield* get(server, `${path}/runs`)).json, "data"), [first.json])
    }))

  it.effect("the next times of a schedule are shown, at most as many as the request wants", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { json, path } = yield* made(server)
      const shown = yield* get(server, `${path}/next?count=3`)
      assert.deepStrictEqual(shown.json, {
        schedule_id: at(json, "id"),
        timezone: "UTC",
        times: [nine, nine + 86_400, nine + 2 * 86_400]
      })
      assert.lengthOf(list((yield* get(server, `${path}/next`)).json, "times"), 5)
      invalid(yield* get(server, `${path}/next?count=101`), [["query", "count"], "less_than_equal"])
      notFound(yield* get(server, "/schedules/none/next"), "Schedule not found")
    }))

  it.effect("what is missing is not found, under each endpoint", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { path } = yield* made(server)
      const none = "/schedules/none"
      notFound(yield* get(server, none), "Schedule not found")
      notFound(yield* send(server, "PATCH", none, { name: "a" }), "Schedule not found")
      for (const action of ["enable", "disable", "trigger"]) {
        notFound(yield* post(server, `${none}/${action}`, {}), "Schedule not found")
      }
      notFound(yield* get(server, `${none}/runs`), "Schedule not found")
      notFound(yield* get(server, `${path}/runs/none`), "Schedule run not found")
      assert.deepStrictEqual(list((yield* get(server, `${path}/runs`)).json, "data"), [])
    }))

  it.effect("a name is used once", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      yield* made(server)
      const { path } = yield* made(server, { name: "other" })
      const taken = "Schedule with name 'Daily report' already exists"
      failed(yield* post(server, "/schedules", fields), 409, "CONFLICT", taken)
      failed(yield* send(server, "PATCH", path, { name: fields.name }), 409, "CONFLICT", taken)
    }))

  it.effect("bad times are refused with one sentence, the expression before the zone and the name", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const { path } = yield* made(server)
      const never = "Invalid cron expression: 0 0 30 2 * never matches a date"
      for (
        const [body, detail] of [
          [{ ...fields, cron_expr: "0 0 30 2 *" }, never],
          [{ ...fields, timezone: "Mars/Olympus" }, "Invalid timezone: Mars/Olympus"],
          [{ ...fields, timezone: "Mars/Olympus", cron_expr: "0 0 30 2 *" }, never]
        ] as const
      ) {
        failed(yield* post(server, "/schedules", body), 422, "VALIDATION_ERROR", detail)
        failed(yield* send(server, "PATCH", path, body), 422, "VALIDATION_ERROR", detail)
      }
    }))

  it.effect.each<readonly [object, string]>([
    [
      { name: "" },
      "Input should begin with a letter or a digit, and have letters, digits, spaces, '.', '_' and '-' only"
    ],
    [{ name: "x".repeat(256) }, "String should have at most 255 characters"],
    [{ endpoint: "agents" }, "Input should begin with '/'"],
    [{ endpoint: "/x?to=http://host" }, "Input should be a path without a host"],
    [{ endpoint: "//host/agents" }, "Input should be a path without a host"],
    [{ endpoint: "/agents/../schedules" }, "Input should not have '..' as a part of the path"],
    [{ endpoint: "/agents/..;/schedules" }, "Input should not have '..' as a part of the path"],
    [{ endpoint: "/agents/%2E%2e%2fschedules" }, "Input should not have '..' as a part of the path"],
    [{ endpoint: "/agents#top" }, "Input should not have a fragment"],
    [{ endpoint: "/schedules/one/trigger" }, "Input should not trigger a schedule"],
    [{ endpoint: "/schedules/one/%74rigger/?now" }, "Input should not trigger a schedule"],
    [{ endpoint: "/agents//assistant/runs" }, "Input should have no empty part of the path, and no '.'"],
    [{ endpoint: "/agents/assistant/runs//" }, "Input should have no empty part of the path, and no '.'"],
    [{ endpoint: "/./agents/assistant/runs" }, "Input should have no empty part of the path, and no '.'"],
    [{ endpoint: "/agents/%2e/runs" }, "Input should have no empty part of the path, and no '.'"],
    [{ endpoint: "/agents/." }, "Input should have no empty part of the path, and no '.'"],
    [{ endpoint: "/agents\r\nhost: x" }, "Input should have no spaces, backslashes or control characters"],
    [{ method: "TRACE" }, "Input should be 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'"],
    [{ payload: [] }, "Input should be a valid object"],
    [{ payload: { a: "x".repeat(70_000) } }, "Input should have at most 65536 characters as JSON"],
    [{ timeout_seconds: 0 }, "Input should be greater than or equal to 1"],
    [{ max_retries: 11 }, "Input should be less than or equal to 10"],
    [{ cron_expr: "x".repeat(129) }, "String should have at most 128 characters"]
  ])("the field of %j is refused", ([body, msg]) =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const answer = yield* post(server, "/schedules", { ...fields, ...body })
      assert.strictEqual(answer.status, 422, answer.text)
      assert.include(column(list(answer.json, "errors"), "msg"), msg)
      assert.strictEqual(at(answer.json, "errors", 0, "loc", 1), Object.keys(body)[0])
    }))
})
