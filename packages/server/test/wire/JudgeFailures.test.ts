// Judges that give no verdict.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as PrometheusText from "../PrometheusText.ts"
import { always, at, get, list, runWhole } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"
import { begin, datasetOf, items, itemsOf, settled } from "./ExperimentRequests.ts"

Tier.oneIn(3)

/** How a judge fails, what callers read, and the reason by which it is counted. */
const failures = [
  {
    reason: "error",
    step: Script.failStatus(500, { message: "no room for sk-abcdefghijklmnopqrstuvwxyz" }),
    text: "The judge failed: Scripted failed (500): no room for [redacted]"
  },
  {
    reason: "error",
    step: Script.wait(Effect.die(new Error("A bug of the judge"))),
    text: "The judge failed unexpectedly. The log has the cause"
  },
  {
    reason: "timeout",
    step: Script.hang,
    text: "The judge did not answer within 0.05 s (EVALUATION_JUDGE_TIMEOUT)"
  },
  {
    reason: "format",
    step: Script.text("Great!"),
    text: "The judge gave no usable verdict, also when it was asked a second time"
  }
] as const

const evaluations = { judgeSeconds: 0.05 }

const counted = (text: string, source: string) =>
  PrometheusText.parse(text).samples.filter(({ labels, name, value }) =>
    name === "svc_judge_failures_total" && labels["source"] === source && value > 0
  ).map(({ labels, value }) => [labels["reason"], value])

describe("a judge without a verdict", () => {
  it.live.each(failures)(
    "the reason of the result says why, and the failure is counted: $text",
    ({ reason, step, text }) =>
      Effect.gen(function*() {
        const judge = yield* always(step)
        const server = yield* serving([yield* saying("Paris")], { judge: judge.model, evaluations })
        const { json } = yield* evaluate(server, accuracy)
        assert.deepInclude(at(json, "eval_data", "results", 0) as object, { score: null, reason: text })
        const metrics = (yield* get(server, "/metrics/prometheus")).text
        assert.deepStrictEqual(counted(metrics, "evaluation"), [[reason, 1]])
        const [line, ...others] = server.logs.filter(({ message }) => message.startsWith("A judge gave no verdict"))
        assert.deepStrictEqual(others, [])
        const session_id = `eval_${String(at(json, "id"))}_1`
        assert.deepInclude(line?.annotations, { session_id, run_id: `${session_id}_run` })
      })
  )

  it.live("a failed request is repeated once, and its verdict counts", () =>
    Effect.gen(function*() {
      const verdict = Script.text(JSON.stringify({ score: 4, reason: "So so" }))
      const judge = yield* Script.make([[Script.failStatus(500)], [verdict]])
      const server = yield* serving([yield* saying("Paris")], { judge: judge.model })
      const { json } = yield* evaluate(server, accuracy)
      assert.deepInclude(at(json, "eval_data", "results", 0) as object, { score: 4, reason: "So so" })
      assert.deepStrictEqual(counted((yield* get(server, "/metrics/prometheus")).text, "evaluation"), [])
    }))

  it.live.each(failures)(
    "the item of an experiment is an error, and no regression: $text",
    ({ step, text }) =>
      Effect.gen(function*() {
        const verdict = Script.text(JSON.stringify({ passed: true, reason: "Good" }))
        const judge = yield* Script.make([[verdict], ...Array.from({ length: 2 }, () => [step])])
        const server = yield* serving([yield* saying("Paris")], { judge: judge.model, evaluations })
        const dataset = yield* datasetOf(server, items.slice(0, 1))
        const body = { agent_id: "assistant", scorers: [{ type: "exact" }, { type: "judge", criteria: "polite" }] }
        const base = yield* begin(server, dataset, body)
        yield* settled(server, base)
        const other = yield* begin(server, dataset, body)
        const { summary } = (yield* settled(server, other)) as { readonly summary: object }
        assert.deepInclude(summary, { passed: 0, failed: 0, errors: 1, score: null, scores: { exact: 1, judge: null } })
        const [item] = yield* itemsOf(server, other)
        assert.deepInclude(item as object, { status: "error", error: text, score: null, output: "Paris" })
        assert.deepInclude(at(item, "scores", 0) as object, { scorer: "exact", score: 1, passed: true })
        assert.deepInclude(at(item, "scores", 1) as object, { scorer: "judge", score: null, reason: text })
        const ids = [base, other].map(({ json }) => at(json, "id"))
        for (const both of [ids, ids.toReversed()]) {
          const { json } = yield* get(server, `/experiments/compare?ids=${both.join()}`)
          assert.deepInclude(json as object, { regressions: 0, improvements: 0, unchanged: 0, unjudged: 1 })
          assert.deepInclude(at(json, "data", 0) as object, { is_unjudged: true, is_regression: false, change: null })
          assert.strictEqual(at(json, "meta", "total_count"), 1)
        }
      })
  )

  it.live("the scores of the other scorers of a live run are stored, and the log names the scorer and the run", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("It is Paris"))
      const scorers = [
        { type: "judge", name: "polite", criteria: "It is polite" },
        { type: "contains", texts: ["Paris"] }
      ] as const
      const agent = Agent.make({ id: "assistant", model, onlineScoring: { scorers, sampleRate: 1 } })
      const judge = yield* always(Script.text("Great!"))
      const server = yield* serving([agent], { judge: judge.model })
      const run = yield* runWhole(server, "assistant", { message: "The capital?", session_id: "s" })
      const run_id = String(at(run.json, "run_id"))
      let found: ReadonlyArray<unknown> = []
      while (found.length === 0) {
        found = list((yield* get(server, `/runs/${run_id}/feedback`)).json)
        yield* Effect.sleep("10 millis")
      }
      assert.deepStrictEqual(found.map((each) => at(each, "key")), ["contains"])
      const line = server.logs.find(({ message }) => message.startsWith("A judge gave no verdict"))
      assert.deepInclude(line, { level: "WARN" })
      assert.deepInclude(line?.annotations, { run_id, session_id: "s", scorer: "polite" })
      assert.deepStrictEqual(counted((yield* get(server, "/metrics/prometheus")).text, "online"), [["format", 1]])
    }))
})
