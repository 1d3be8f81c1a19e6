// Runs of schedules on the wire: what fires them, how they end, and with which texts.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { serveOpen } from "../authorization/Closed.ts"
import { ask, at, column, failed, get, invalid, notFound, post, second, send, serve, uuid } from "../Wire.ts"
import { passing, runsOf, until } from "./ScheduleTime.ts"

Tier.oneIn(8)

const fields = {
  name: "Daily report",
  cron_expr: "* * * * *",
  endpoint: "/agents/assistant/runs",
  payload: { message: "Report", session_id: "reports", stream: true, session_state: { a: 1 } }
}

const made = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object = {}) {
  const { json, status, text } = yield* post(server, "/schedules", { ...fields, ...body })
  assert.strictEqual(status, 201, text)
  return `/schedules/${String(at(json, "id"))}`
})

/** Each attempt is refused. */
const refused = { payload: { message: "Report", user_id: "sa:none" } }

const minute = second - second % 60 + 60

describe("runs of schedules", () => {
  it.effect("a schedule runs its component at each of its times, with the payload as the form", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server)
      const succeeded = (count: number) => (runs: ReadonlyArray<unknown>) =>
        runs.length === count && column(runs, "status").every((status) => status === "success")
      yield* TestClock.adjust(`${minute - second} seconds`)
      yield* until(server, path, succeeded(1))
      yield* TestClock.adjust("50 seconds")
      const [later, first] = yield* until(server, path, succeeded(2))
      for (const [run, slot] of [[first, minute], [later, minute + 60]] as const) {
        const triggered = Number(at(run, "triggered_at"))
        assert.isTrue(triggered >= slot && triggered < slot + 60, `${triggered} ${slot}`)
        assert.deepStrictEqual(run, {
          id: at(run, "id"),
          schedule_id: path.split("/").at(-1),
          attempt: 1,
          triggered_at: triggered,
          completed_at: at(run, "completed_at"),
          status: "success",
          status_code: 200,
          run_id: at(run, "run_id"),
          session_id: "reports",
          error: null,
          input: { input_content: "Report" },
          output: { content: "Hello.", content_type: "str" },
          requirements: null,
          created_at: at(run, "created_at")
        })
        assert.match(String(at(run, "run_id")), uuid)
        assert.deepStrictEqual((yield* get(server, `${path}/runs/${String(at(run, "id"))}`)).json, run)
      }
      assert.strictEqual(at((yield* get(server, path)).json, "next_run_at"), minute + 120)
      const session = yield* get(server, "/sessions/reports/runs?type=agent")
      assert.deepStrictEqual(column(session.json, "run_id"), [at(first, "run_id"), at(later, "run_id")])
    }))

  it.effect("a triggered run gets its response when its last attempt has ended, and moves no time", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, { cron_expr: "0 0 1 1 *" })
      const { json, status } = yield* passing(post(server, `${path}/trigger`, {}))
      assert.strictEqual(status, 200)
      assert.deepInclude(json as object, { status: "success", attempt: 1, error: null })
      assert.deepStrictEqual(yield* runsOf(server, path), [json])
      yield* post(server, `${path}/disable`, {})
      failed(yield* post(server, `${path}/trigger`, {}), 409, "CONFLICT", "Schedule is disabled")
      notFound(yield* post(server, "/schedules/none/trigger", {}), "Schedule not found")
    }))

  it.effect("each run of a schedule has an id of its own, although the payload has one", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, { cron_expr: "0 0 1 1 *", payload: { message: "Report", run_id: "mine" } })
      for (let run = 0; run < 2; run++) {
        const { json, text } = yield* passing(post(server, `${path}/trigger`, {}))
        assert.strictEqual(at(json, "status"), "success", text)
      }
    }))

  it.effect("a path that the router reads as that of a run is executed in the process of the job", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const endpoints = ["/agents/%61ssistant/%72uns", "/agents/assistant/runs/", "/agents/assistant/runs?a=b"]
      for (const [index, endpoint] of endpoints.entries()) {
        const path = yield* made(server, { endpoint, name: `Report ${index}` })
        const { json, text } = yield* passing(post(server, `${path}/trigger`, {}))
        assert.match(String(at(json, "run_id")), uuid, text)
      }
    }))

  it.effect("a repeated trigger with one key gives the first run again, and another body is refused", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, { cron_expr: "0 0 1 1 *" })
      const trigger = (body: string) =>
        passing(ask(server, `${path}/trigger`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": "one" },
          body
        }))
      const first = yield* trigger("{}")
      assert.strictEqual(first.status, 200, first.text)
      assert.deepStrictEqual((yield* trigger("{}")).json, first.json)
      failed(yield* trigger("{\"a\": 1}"), 409, "CONFLICT")
      assert.lengthOf(yield* runsOf(server, path), 1)
    }))

  it.effect("a request that is refused fails with the body of its response, and is repeated as often as it may be", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, { ...refused, max_retries: 1, retry_delay_seconds: 5 })
      const ended = (runs: ReadonlyArray<unknown>) => column(runs, "status").join() === "failed,failed"
      const runs = (yield* until(server, path, ended)).toReversed()
      assert.deepStrictEqual(column(runs, "attempt"), [1, 2])
      for (const run of runs) {
        assert.deepInclude(run as object, { status_code: 403, run_id: null })
        assert.match(String(at(run, "error")), /^\{"detail":".*","error_code":"FORBIDDEN"\}$/)
      }
      assert.isAtLeast(Number(at(runs[1], "triggered_at")) - Number(at(runs[0], "completed_at")), 5)
    }))

  it.effect("a schedule of a component that does not exist, or whose payload starts no run, is refused", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const refuses = Effect.fnUntraced(function*(field: string, body: object, sentence: string) {
        const answer = yield* post(server, "/schedules", { ...fields, name: "refused", ...body })
        invalid(answer, [["body", field], "value_error"])
        assert.include(String(at(answer.json, "detail")), sentence)
      })
      yield* refuses(
        "endpoint",
        { endpoint: "/agents/missing/runs" },
        "There is no agent 'missing'. The agents are: assi"
      )
      yield* refuses(
        "endpoint",
        { endpoint: "/teams/%6dissing/runs/" },
        "There is no team 'missing'. The teams are: desk"
      )
      yield* refuses("payload", { payload: { mesage: "Hi" } }, "The payload does not start a run: message")
      yield* refuses("payload", { payload: null }, "The payload does not start a run: message")
      const path = yield* made(server)
      const changed = yield* send(server, "PATCH", path, { endpoint: "/agents/missing/runs" })
      invalid(changed, [["body", "endpoint"], "value_error"])
      assert.strictEqual((yield* send(server, "PATCH", path, { name: "Other" })).status, 200)
    }))

  it.effect("a queued run begins when the last attempt of the run before has failed", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, {
        ...refused,
        overlap: "queue",
        max_retries: 1,
        retry_delay_seconds: 90
      })
      const begun = (runs: ReadonlyArray<unknown>) =>
        runs.filter((run) => typeof at(run, "completed_at") === "number")
          .sort((left, right) => Number(at(left, "completed_at")) - Number(at(right, "completed_at")))
      const runs = begun(yield* until(server, path, (all) => begun(all).length === 4))
      assert.deepStrictEqual(column(runs, "attempt"), [1, 2, 1, 2])
    }))

  it.effect("a schedule is disabled after repeated failure, and enabling it clears the reason", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        agents: [Agent.make({ id: "assistant" })],
        schedules: { failures: 2, schedules: 1 }
      })
      const path = yield* made(server, refused)
      failed(
        yield* post(server, "/schedules", { ...fields, name: "more" }),
        409,
        "CONFLICT",
        "There are 1 schedules already (MAX_SCHEDULES). Remove one first"
      )
      yield* until(server, path, (runs) => column(runs, "status").join() === "failed,failed")
      assert.deepInclude((yield* get(server, path)).json as object, {
        enabled: false,
        consecutive_failures: 2,
        paused_reason: "2 runs in a row failed"
      })
      yield* post(server, `${path}/enable`, {})
      assert.deepInclude((yield* get(server, path)).json as object, { consecutive_failures: 0, paused_reason: null })
    }))

  it.effect("a node without a scheduler fires nothing and refuses to trigger", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [Agent.make({ id: "assistant" })], schedules: { isEnabled: false } })
      const path = yield* made(server)
      failed(yield* post(server, `${path}/trigger`, {}), 503, "SERVICE_UNAVAILABLE", "Scheduler is not running")
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual(yield* runsOf(server, path), [])
    }))

  it.live("other requests are sent to the node itself, under the name of the scheduler", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({
        authorization: { securityKey: "key", internalToken: "internal" }
      })
      const call = (path: string, body?: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}${path}`, {
            method: "POST",
            headers: { authorization: "Bearer key", "content-type": "application/json" },
            body: JSON.stringify(body ?? {})
          })
          return await response.json() as unknown
        })
      const triggered = Effect.fnUntraced(function*(name: string, request: object) {
        const schedule = yield* call("/schedules", { name, cron_expr: "0 0 1 1 *", ...request })
        return yield* call(`/schedules/${String(at(schedule, "id"))}/trigger`)
      })
      const read = yield* triggered("read", { endpoint: "/schedules?limit=1", method: "get" })
      assert.deepInclude(read as object, { status: "success", status_code: 200, error: null, output: null })
      const missing = yield* triggered("missing", { endpoint: "/nowhere" })
      assert.deepInclude(missing as object, {
        status: "failed",
        status_code: 404
      })
      assert.include(String(at(missing, "error")), "\"error_code\":\"NOT_FOUND\"")
    }))
})
