// The usage of hours on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, badRequest, column, get, list, runWhole, send, serve } from "../Wire.ts"

const prices = Prices.make([{ models: ["scripted"], input: 2, output: 10 }])
const answer = [Script.text("Yes"), Script.usage({ input: 1000, output: 100 })]

describe("GET /metrics/usage", () => {
  it.effect("runs count in the hour of their end with status, error rate, tokens, cost and times", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer, [Script.fail()]])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices })
      yield* runWhole(server, "a", { message: "hi", user_id: "ann" })
      yield* runWhole(server, "a", { message: "hi", user_id: "ann" })
      for (let n = 0; n < 25; n++) yield* TestClock.adjust("1 second")
      const { json } = yield* get(server, "/metrics/usage?interval=hour&group_by=component")
      const none = { p50: null, p95: null, p99: null }
      const figures = at(json, "data", 0)
      assert.deepInclude(figures, {
        time: "2026-11-21T01:00:00Z",
        component_type: "agent",
        component_id: "a",
        runs: { total: 2, completed: 1, failed: 1, cancelled: 0 },
        error_rate: 0.5,
        cost: 0.003,
        unpriced_tokens: 0
      })
      assert.strictEqual(at(figures, "tokens", "total_tokens"), 1100)
      assert.notDeepEqual(at(figures, "duration"), none)
      assert.strictEqual(at(json, "meta", "total_count"), 1)
      const others = yield* get(server, "/metrics/usage?user_id=bob")
      assert.deepStrictEqual(list(others.json, "data"), [])
      const days = yield* get(server, "/metrics/usage")
      assert.strictEqual(at(days.json, "data", 0, "time"), "2026-11-21T00:00:00Z")
    }))

  it.effect("the removal of what is known about a user removes the id of the user from usage", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer, answer])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices })
      for (const user_id of ["ann", "bob"]) yield* runWhole(server, "a", { message: "hi", user_id })
      for (let n = 0; n < 25; n++) yield* TestClock.adjust("1 second")
      const users = Effect.map(
        get(server, "/metrics/usage?group_by=user"),
        ({ json }) => column(list(json, "data"), "user_id")
      )
      assert.deepStrictEqual(yield* users, ["ann", "bob"])
      assert.strictEqual((yield* send(server, "DELETE", "/users/ann/memory", {})).status, 200)
      assert.deepStrictEqual(yield* users, ["", "bob"])
    }))

  it.effect("a range is limited, and one component can be named", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const path = "/metrics/usage?starting_date=2026-01-01&ending_date=2026-02-01"
      badRequest(yield* get(server, `${path}&interval=hour`), "interval=hour has at most 31 days: the range has 32")
      badRequest(
        yield* get(server, "/metrics/usage?starting_date=2020-01-01"),
        /^interval=day has at most 366 days: the range has \d+$/
      )
      badRequest(
        yield* get(server, "/metrics/usage?agent_id=a&team_id=t"),
        "Only one of agent_id, team_id and workflow_id can be given"
      )
      assert.strictEqual((yield* get(server, `${path}&agent_id=a`)).status, 200)
      assert.strictEqual((yield* get(server, "/metrics/usage?interval=week")).status, 422)
    }))
})
