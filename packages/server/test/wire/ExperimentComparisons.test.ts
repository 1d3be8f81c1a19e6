// Comparisons of experiments on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { always, type Answer, at, badRequest, column, get, list, notFound, post } from "../Wire.ts"
import { saying, serving, slow } from "./Evaluations.ts"
import { begin, datasetOf, exact, pathOf, settled } from "./ExperimentRequests.ts"

describe("a comparison of experiments", () => {
  it.live("two experiments are compared by item: regressions, improvements, and what is equal", () =>
    Effect.gen(function*() {
      const server = yield* serving([
        yield* saying("Paris"),
        Agent.make({
          id: "other",
          model: (yield* Script.make(Array.from({ length: 3 }, () => [Script.text("Rome")]))).model
        })
      ])
      const dataset = yield* datasetOf(server)
      const [base, other] = [
        yield* begin(server, dataset),
        yield* begin(server, dataset, { ...exact, agent_id: "other" })
      ]
      for (const accepted of [base, other]) yield* settled(server, accepted)
      const ids = [base, other].map(({ json }) => at(json, "id")).join()
      const { json } = yield* get(server, `/experiments/compare?ids=${ids}`)
      assert.deepInclude(json as object, { regressions: 1, improvements: 1, unchanged: 1, only_base: 0, only_other: 0 })
      assert.deepStrictEqual(column(list(json, "data"), "item_id"), ["france", "italy", "unknown"])
      assert.deepInclude(at(json, "data", 0) as object, {
        input: "The capital of France?",
        change: -1,
        is_regression: true
      })
      // each side of an item is one result
      for (const [experiment, output] of [[base, "Paris"], [other, "Rome"]] as const) {
        const { json } = yield* get(server, `${pathOf(experiment)}/items?item_id=italy`)
        assert.deepStrictEqual(column(list(json, "data"), "item_id"), ["italy"])
        assert.strictEqual(at(json, "data", 0, "output"), output)
        assert.strictEqual(at(json, "meta", "total_count"), 1)
      }
      const none = yield* get(server, `${pathOf(base)}/items?item_id=spain`)
      assert.deepStrictEqual([at(none.json, "data"), at(none.json, "meta", "total_count")], [[], 0])
      badRequest(yield* get(server, "/experiments/compare?ids=a"), "ids must have two ids, separated by a comma")
      notFound(yield* get(server, `/experiments/compare?ids=${String(at(base.json, "id"))},x`))
      const apart = yield* begin(server, yield* datasetOf(server))
      badRequest(
        yield* get(server, `/experiments/compare?ids=${[base, apart].map(({ json }) => at(json, "id")).join()}`),
        "Only experiments of the same dataset can be compared"
      )
    }))

  it.live("a comparison shows whether the experiments have ended, and whether their scorers differ", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const { model } = yield* always(Script.text("Paris"))
      const server = yield* serving([agent, Agent.make({ id: "fast", model })])
      const dataset = yield* datasetOf(server)
      const exactly = { type: "exact", name: "right", ignore_case: true }
      const similar = { type: "similarity" }
      const start = (scorers: ReadonlyArray<object>, agent_id = "fast") => begin(server, dataset, { agent_id, scorers })
      const base = yield* start([exactly, similar])
      const same = yield* start([similar, { ignore_case: true, name: "right", type: "exact" }])
      const apart = yield* start([exactly, { ...similar, threshold: 0.5 }])
      for (const accepted of [base, same, apart]) yield* settled(server, accepted)
      const running = yield* start([exactly], "assistant")
      yield* reached
      const compared = Effect.fnUntraced(function*(other: Answer) {
        const ids = [base, other].map(({ json }) => at(json, "id")).join()
        const { json } = yield* get(server, `/experiments/compare?ids=${ids}`)
        return ["base_status", "other_status", "has_different_scorers"].map((field) => at(json, field))
      })
      assert.deepStrictEqual(yield* compared(same), ["COMPLETED", "COMPLETED", false])
      assert.deepStrictEqual(yield* compared(apart), ["COMPLETED", "COMPLETED", true])
      assert.deepStrictEqual(yield* compared(running), ["COMPLETED", "RUNNING", true])
    }))

  it.live("a comparison has the versions of the dataset, and an item that differs between them counts as changed", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      const dataset = yield* datasetOf(server)
      const base = yield* begin(server, dataset)
      const put = [{ id: "france", input: "The capital of France?", expected_output: "It is Paris" }]
      yield* post(server, `/datasets/${dataset}/items`, { put })
      const other = yield* begin(server, dataset)
      for (const accepted of [base, other]) yield* settled(server, accepted)
      const ids = [base, other].map(({ json }) => at(json, "id")).join()
      const { json } = yield* get(server, `/experiments/compare?ids=${ids}`)
      assert.deepInclude(json as object, {
        base_dataset_version: 2,
        other_dataset_version: 3,
        regressions: 0,
        improvements: 0,
        changed_items: 1,
        unchanged: 2
      })
      assert.strictEqual(at(json, "meta", "total_count"), 3)
      assert.deepInclude(at(json, "data", 0) as object, {
        item_id: "france",
        base: { status: "passed", score: 1 },
        other: { status: "failed", score: 0 },
        is_item_changed: true,
        is_regression: false
      })
    }))
})
