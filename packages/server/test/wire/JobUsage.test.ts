// What background jobs use of models: on their session, in the usage of the hour, and in the metrics for Prometheus.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { End } from "@svc-runtime/engine/jobs/Job"
import { Agent } from "@svc-runtime/server"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as PrometheusText from "../PrometheusText.ts"
import { at, get, list, runWhole } from "../Wire.ts"
import { answer, changes, fields } from "./MemoryAgent.ts"
import { ann, open, usage } from "./MemoryFixtures.ts"
import { summary } from "./Summarizing.ts"

Tier.oneIn(2)

const prices = Prices.make([{ models: ["reader"], input: 0, output: 125_000 }])

/** Of one request: 7 input and 3 output tokens. */
const [tokens, cost] = [10, 0.375]

const learned = [Script.text(JSON.stringify({ user_memory: [{ memory: "Likes tea." }] }))]

type Used = readonly [session: unknown, usage: unknown, prometheus: unknown]

/** The tokens and the cost that the three places have. */
const counted = Effect.fnUntraced(function*({ server, stores }: Effect.Success<ReturnType<typeof open>>) {
  yield* stores().usage.rollUp()
  const { json: session } = yield* get(server, "/sessions/s?type=agent")
  const { json: hours } = yield* get(server, "/metrics/usage?user_id=ann&agent_id=agent")
  const { value } = yield* exported(server)
  const agent = { kind: "agent", component: "agent", evaluation: "false" }
  const [input = 0, output = 0] = ["input", "output"].map((type) => value("svc_tokens_total", { ...agent, type }))
  return [
    [at(session, "metrics", "total_tokens"), at(session, "metrics", "cost") ?? 0],
    [at(hours, "data", 0, "tokens", "total_tokens"), at(hours, "data", 0, "cost")],
    [input + output, value("svc_cost_usd_total", agent)]
  ] satisfies Used
})

const exported = (server: TestServer.TestServer) =>
  server.fetch("/metrics/prometheus").pipe(
    Effect.flatMap((response) => Effect.promise(() => response.text())),
    Effect.map(PrometheusText.parse)
  )

const everywhere = (requests: number): Used => {
  const used = [requests * tokens, requests * cost]
  return [used, used, used]
}

describe("background jobs", () => {
  it.live("memories, learnings and summaries count with tokens and cost, beside one run, for component, user and model", () =>
    Effect.gen(function*() {
      const talking = yield* Script.make([answer])
      const of = Effect.fnUntraced(function*(turn: Script.Turn) {
        return { ...(yield* Script.make([[...turn as ReadonlyArray<never>, usage]])).model, id: "reader" }
      })
      const agent = Agent.make({
        id: "agent",
        model: talking.model,
        memory: { model: yield* of(changes({ action: "create", memory: "Fact" })) },
        learning: { mode: "always", model: yield* of(learned) },
        sessionSummaries: { model: yield* of(summary("Tea.")), afterRuns: 1 }
      })
      const service = yield* open({ agents: [agent], prices })
      assert.deepStrictEqual(
        (yield* exported(service.server)).value("svc_cost_usd_total", {
          kind: "agent",
          component: "agent",
          evaluation: "false"
        }),
        0
      )
      yield* runWhole(service.server, "agent", fields)
      for (let job = 0; job < 3; job++) assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.deepStrictEqual(yield* counted(service), everywhere(3))
      const { json } = yield* get(service.server, "/metrics/usage?group_by=model")
      assert.deepStrictEqual(
        list(json, "data").map((
          row
        ) => [at(row, "model_id"), at(row, "runs", "total"), at(row, "tokens", "total_tokens")]),
        [["reader", 0, 30], [talking.model.id, 1, 0]]
      )
    }))

  it.live("a job that is repeated after its answer counts the requests of both attempts", () =>
    Effect.gen(function*() {
      const change = [...changes({ action: "create", memory: "Fact" }), usage]
      const [talking, reading] = [yield* Script.make([answer]), yield* Script.make([change, change])]
      const model = { ...reading.model, id: "reader" }
      const agent = Agent.make({ id: "agent", model: talking.model, memory: { model } })
      let isFirst = true
      const service = yield* open({ agents: [agent], prices }, (end) => {
        const lost: End = isFirst ? { _tag: "Retry", error: "lost", seconds: 0 } : end
        isFirst = false
        return lost
      })
      yield* runWhole(service.server, "agent", fields)
      for (const end of ["Retry", "Completed"]) assert.strictEqual(yield* service.jobEnd, end)
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["Fact"])
      assert.deepStrictEqual(yield* counted(service), everywhere(2))
    }))

  it.live("an answer that the provider withheld counts, also if no other model answers", () =>
    Effect.gen(function*() {
      const talking = yield* Script.make([answer])
      const withheld = yield* Script.make([[Script.finish("content-filter"), usage]])
      const failing = yield* Script.make([[Script.fail("It is down")]])
      const agent = Agent.make({
        id: "agent",
        model: talking.model,
        fallbackModels: [{ ...failing.model, id: "second" }],
        memory: { model: { ...withheld.model, id: "reader" } }
      })
      const service = yield* open({ agents: [agent], prices })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.deepStrictEqual(yield* counted(service), everywhere(1))
    }))

  it.live("an attempt whose usage is not stored counts nowhere, and the next one counts its own request", () =>
    Effect.gen(function*() {
      const change = [...changes({ action: "create", memory: "Fact" }), usage]
      const [talking, reading] = [yield* Script.make([answer]), yield* Script.make([change, change])]
      const model = { ...reading.model, id: "reader" }
      const agent = Agent.make({ id: "agent", model: talking.model, memory: { model } })
      let isFirst = true
      const service = yield* open({
        agents: [agent],
        prices,
        database: (opened) => ({
          ...opened,
          sessions: {
            ...opened.sessions,
            addUsage: (...request) =>
              Effect.suspend(() => {
                if (!isFirst) return opened.sessions.addUsage(...request)
                isFirst = false
                return Effect.fail(new StorageUnavailable({ cause: "cut off" }))
              })
          }
        })
      }, (end) => end._tag === "Retry" ? { ...end, seconds: 0 } : end)
      yield* runWhole(service.server, "agent", fields)
      for (const end of ["Retry", "Completed"]) assert.strictEqual(yield* service.jobEnd, end)
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["Fact"])
      assert.deepStrictEqual(yield* counted(service), everywhere(1))
    }))
})
