// Whose figures a caller sees.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import { session, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { at, failed, list, second } from "../Wire.ts"
import { call, everything, serveClosed, token } from "./Closed.ts"

const today = DayMetrics.startOf(DayMetrics.dayOf(second))

describe("metrics of an isolated caller", () => {
  it.effect("an isolated caller gets figures of the own sessions, and others those of all", () =>
    Effect.gen(function*() {
      let stores: Database | undefined
      const server = yield* serveClosed({ database: (database) => stores = database })
      for (const user of ["ann", "bob", "bob"]) {
        yield* stores!.sessions.create(session({ user_id: userId(user), created_at: today }))
      }
      const counts = Effect.fnUntraced(function*(bearer: string, path: string, init?: RequestInit) {
        const { json } = yield* call(server, { path, ...(init === undefined ? {} : { init }) }, bearer)
        const days = Array.isArray(json) ? json : list(json, "metrics")
        return days.map((day) => at(day, "agent_sessions_count"))
      })
      const [ann, eve, admin] = [
        yield* token("ann", ...everything),
        yield* token("eve", ...everything),
        yield* token("root", "platform:admin")
      ]
      const refresh: RequestInit = { method: "POST" }
      assert.deepStrictEqual(yield* counts(ann, "/metrics/refresh", refresh), [1])
      assert.deepStrictEqual(yield* counts(ann, "/metrics?starting_date=2000-01-01"), [1])
      assert.deepStrictEqual(yield* counts(eve, "/metrics"), [])
      assert.deepStrictEqual(yield* counts(eve, "/metrics/refresh", refresh), [])
      assert.deepStrictEqual(yield* counts(admin, "/metrics"), [3])
      assert.deepStrictEqual(yield* counts(admin, "/metrics/refresh", refresh), [3])
    }))

  it.effect("the metrics of the process and the nodes, which are those of all users, need a scope more", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const text = "These metrics are those of all users: a caller who sees only their own data needs the scope " +
        "metrics:scrape too"
      for (const path of ["/metrics/prometheus", "/nodes"]) {
        const read = (bearer: string) => call(server, { path }, bearer)
        failed(yield* read(yield* token("ann", "metrics:read")), 403, "FORBIDDEN", text)
        for (const scopes of [["metrics:read", "metrics:scrape"], ["platform:admin"]]) {
          assert.strictEqual((yield* read(yield* token("ann", ...scopes))).status, 200)
        }
      }
    }))
})
