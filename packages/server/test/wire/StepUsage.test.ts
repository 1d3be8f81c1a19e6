// What failed and paused steps of workflows use: on the session, in the usage of the hour, in the metrics for
// Prometheus, in limits and in experiments.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Step, Workflow } from "@svc-runtime/server"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as PrometheusText from "../PrometheusText.ts"
import { ask, at, failed, get, post as send, serve } from "../Wire.ts"

Tier.oneIn(2)

const prices = Prices.make([{ models: ["scripted"], input: 1, output: 10 }])

/** Of one request. */
const used = Script.usage({ input: 1000, output: 100 })
const [tokens, cost] = [1100, 0.002]

/** Each run uses one request, and fails with the next. */
const failing = Effect.fnUntraced(function*(options: Partial<Step.Settings<"bad", "fail" | "skip" | "pause">> = {}) {
  const turns = [[Script.toolCall("nope"), used], [Script.fail("It is down")]]
  const { model } = yield* Script.make([...turns, ...turns, ...turns])
  const bad = Step.make({ name: "bad", agent: Agent.make({ id: "agent", model }), ...options })
  return Workflow.make({ id: "flow", steps: [bad], limits: { tokensPerDay: 2 * tokens } })
})

const post = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>> = {}) =>
  ask(server, `/workflows/flow/runs${path}`, { method: "POST", body: new URLSearchParams(fields) })

const start = (server: TestServer.TestServer) =>
  post(server, "", { message: "x", session_id: "s", run_id: "r", stream: "false" })

/** The tokens and the cost of the session, of the hour and of Prometheus. */
const counted = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  // the hour is counted by a job
  yield* Effect.forEach(Array.from({ length: 25 }), () => TestClock.adjust("1 second"), { discard: true })
  const { json: session } = yield* get(server, "/sessions/s?type=workflow")
  const { json: hours } = yield* get(server, "/metrics/usage?workflow_id=flow")
  const response = yield* server.fetch("/metrics/prometheus")
  const { value } = PrometheusText.parse(yield* Effect.promise(() => response.text()))
  const flow = { kind: "workflow", component: "flow", evaluation: "false" }
  const [input = 0, output = 0] = ["input", "output"].map((type) => value("svc_tokens_total", { ...flow, type }))
  return [
    ["total_tokens", "cost"].map((name) => at(session, "session_data", "session_metrics", name)),
    [at(hours, "data", 0, "tokens", "total_tokens"), at(hours, "data", 0, "cost")],
    [input + output, value("svc_cost_usd_total", flow)]
  ]
})

const everywhere = (requests: number) => {
  const all = [requests * tokens, requests * cost]
  return [all, all, all]
}

describe("a step that fails", () => {
  it.effect("a workflow is refused when its failed steps have used the tokens of a day", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [yield* failing()] })
      for (let run = 0; run < 2; run++) {
        const { json } = yield* post(server, "", { message: "x", stream: "false" })
        assert.strictEqual(at(json, "status"), "ERROR")
      }
      const { headers, ...answer } = yield* post(server, "", { message: "x", stream: "false" })
      const seconds = headers.get("retry-after")
      const detail = `This component has used 2200 of 2200 tokens today (UTC). Try again in ${seconds} seconds.`
      failed({ headers, ...answer }, 429, "TOO_MANY_REQUESTS", detail)
    }))

  it.effect("all attempts of a step count everywhere, with their cost", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [yield* failing({ retries: 1, delayBetweenRetries: 0 })], prices })
      assert.strictEqual(at((yield* start(server)).json, "status"), "ERROR")
      assert.deepStrictEqual(yield* counted(server), everywhere(2))
    }))

  it.effect("the attempts of a paused workflow count everywhere when it is cancelled", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [yield* failing({ onError: "pause" })], prices })
      const { json } = yield* start(server)
      const decision = { step_id: at(json, "error_requirements", 0, "step_id"), decision: "retry" }
      const again = yield* post(server, "/r/continue", {
        session_id: "s",
        stream: "false",
        error_requirements: JSON.stringify([decision])
      })
      assert.deepStrictEqual([at(json, "status"), at(again.json, "status")], ["PAUSED", "PAUSED"], again.text)
      yield* post(server, "/r/cancel")
      assert.deepStrictEqual(yield* counted(server), everywhere(2))
    }))

  it.live("an item of an experiment has the tokens and the cost of failed steps", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({
        workflows: [yield* failing({ retries: 1, delayBetweenRetries: 0 })],
        prices
      })
      const dataset = yield* send(server, "/datasets", { name: "d", items: [{ id: "one", input: "hi" }] })
      const { json: begun } = yield* send(server, "/experiments", {
        dataset_id: at(dataset.json, "id"),
        workflow_id: "flow",
        scorers: [{ type: "contains", texts: ["Yes"] }]
      })
      const path = `/experiments/${String(at(begun, "id"))}`
      const { json } = yield* Effect.repeat(get(server, path), {
        until: ({ json }) => at(json, "status") === "COMPLETED",
        schedule: Schedule.spaced("10 millis")
      })
      assert.deepInclude(at(json, "summary") as object, { errors: 1, tokens: 2 * tokens, cost: 2 * cost })
    }))
})
