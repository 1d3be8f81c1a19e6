// Which model judges answers.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, at, badRequest, column, get, list, runWhole } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"
import { begin, datasetOf, itemsOf, settled } from "./ExperimentRequests.ts"

Tier.oneIn(3)

const numeric = JSON.stringify({ score: 4, reason: "So so" })
const binary = JSON.stringify({ passed: false, reason: "So so" })
const criteria = { eval_type: "agent_as_judge", criteria: "The answer is Paris" }

/** A service whose default model would judge by comparing words. */
const judgedBy = Effect.fnUntraced(function*(verdict: string) {
  const judge = yield* Script.make(Array.from({ length: 9 }, () => [Script.text(verdict)]), { id: "judge" })
  const server = yield* serving([yield* saying("Paris")], { judge: judge.model })
  return { judge, server }
})

describe("the judge of a service", () => {
  it.live("the judge of the service judges evaluations, in place of the default model", () =>
    Effect.gen(function*() {
      const { judge, server } = yield* judgedBy(numeric)
      const rated = yield* evaluate(server, accuracy)
      assert.strictEqual(at(rated.json, "eval_data", "results", 0, "score"), 4, rated.text)
      // the model of an accuracy evaluation is the one that answers
      assert.strictEqual(at(rated.json, "model_id"), "scripted")
      assert.lengthOf(yield* judge.calls, 1)
      const judged = yield* evaluate((yield* judgedBy(binary)).server, criteria)
      assert.strictEqual(at(judged.json, "eval_data", "results", 0, "passed"), false, judged.text)
      assert.strictEqual(at(judged.json, "model_id"), "judge")
    }))

  it.live("the judge of the service judges too if the request names another model for the answers", () =>
    Effect.gen(function*() {
      const { judge, server } = yield* judgedBy(numeric)
      const answer = yield* evaluate(server, { ...accuracy, model_provider: "demo", model_id: "demo" })
      assert.strictEqual(at(answer.json, "eval_data", "results", 0, "score"), 4, answer.text)
      assert.lengthOf(yield* judge.calls, 1)
    }))

  it.live("a request that names the component's own model has its answers, also if no provider has this name", () =>
    Effect.gen(function*() {
      const own = yield* always(Script.text("Paris"))
      const server = yield* serving([Agent.make({ id: "assistant", model: own.model })])
      const { model, provider } = at((yield* get(server, "/agents/assistant")).json, "model") as Record<string, string>
      const answer = yield* evaluate(server, { ...accuracy, model_id: model, model_provider: provider })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(at(answer.json, "eval_data", "results", 0, "output"), "Paris")
      assert.strictEqual(at(answer.json, "model_id"), model)
      assert.strictEqual(at(answer.json, "model_provider"), provider)
      badRequest(
        yield* evaluate(server, { ...accuracy, model_id: "another", model_provider: provider }),
        /^Unknown model provider 'scripted'/
      )
    }))

  it.live("the judge of the service judges the items of experiments", () =>
    Effect.gen(function*() {
      const { judge, server } = yield* judgedBy(binary)
      const body = { agent_id: "assistant", scorers: [{ type: "judge", criteria: "The answer is Paris" }] }
      const accepted = yield* begin(server, yield* datasetOf(server), body)
      yield* settled(server, accepted)
      assert.deepStrictEqual(column(yield* itemsOf(server, accepted), "status"), ["failed", "failed", "failed"])
      assert.lengthOf(yield* judge.calls, 3)
    }))

  it.live("the judge of the service judges live runs", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Paris"))
      const scorers = [{ type: "judge", criteria: "The answer is Paris" }] as const
      const judge = yield* always(Script.text(binary))
      const agent = Agent.make({ id: "assistant", model, onlineScoring: { scorers, sampleRate: 1 } })
      const server = yield* serving([agent], { judge: judge.model })
      const run = yield* runWhole(server, "assistant", { message: "The capital?" })
      let found: ReadonlyArray<unknown> = []
      while (found.length === 0) {
        found = list((yield* get(server, `/runs/${String(at(run.json, "run_id"))}/feedback`)).json)
        yield* Effect.sleep("10 millis")
      }
      assert.deepInclude(found[0] as object, { key: "judge", score: 0, comment: "So so" })
    }))
})
