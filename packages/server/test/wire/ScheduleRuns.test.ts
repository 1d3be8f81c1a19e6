// Runs of schedules on the wire: what fires them, how they end, and with which texts.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { serveOpen } from "../authorization/Closed.ts"
import { at, column, failed, get, list, notFound, post, second, uuid } from "../Wire.ts"

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

const runsOf = (server: TestServer.TestServer, path: string) =>
  Effect.map(get(server, `${path}/runs`), ({ json }) => list(json, "data"))

/** Time passes until the runs fit. */
const until = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  path: string,
  isWanted: (runs: ReadonlyArray<unknown>) => boolean
) {
  for (;;) {
    const runs = yield* runsOf(server, path)
    if (isWanted(runs)) return runs
    yield* TestClock.adjust("1 second")
  }
})

const minute = second - second % 60 + 60

describe("runs of schedules", () => {
  it.effect("a schedule runs its component at each of its times, with the payload as the form", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server)
      const [later, first] = yield* until(
        server,
        path,
        (runs) => runs.length === 2 && column(runs, "status").every((status) => status === "success")
      )
      for (const [run, slot] of [[first, minute], [later, minute + 60]] as const) {
        const triggered = Number(at(run, "triggered_at"))
        assert.isTrue(triggered >= slot && triggered <= slot + 2, `${triggered} ${slot}`)
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

  it.effect("a triggered run is answered when its last attempt has ended, and moves no time", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server, { cron_expr: "0 0 1 1 *" })
      const { json, status } = yield* post(server, `${path}/trigger`, {})
      assert.strictEqual(status, 200)
      assert.deepInclude(json as object, { status: "success", attempt: 1, error: null })
      assert.deepStrictEqual(yield* runsOf(server, path), [json])
      yield* post(server, `${path}/disable`, {})
      failed(yield* post(server, `${path}/trigger`, {}), 409, "CONFLICT", "Schedule is disabled")
      notFound(yield* post(server, "/schedules/none/trigger", {}), "Schedule not found")
    }))
})
