// Two experiments of a dataset side by side.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { Effect } from "effect"
import * as Dataset from "../Dataset.ts"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import * as Experiment from "../Experiment.ts"
import { ExperimentStore } from "../experiments/ExperimentStore.ts"
import { change, dataset } from "./DatasetStoreSuite.ts"
import { experiment, experimentItem as item, jobOfExperiment } from "./SampleExperiments.ts"

type Side = readonly [Experiment.ItemStatus, number | null]
type Contents = Readonly<Record<string, Partial<Dataset.ItemInput>>>

const page = { page: 1, limit: 10 }

const content = { input: "x \u0000", expected_output: { city: "\u0000" }, metadata: { from: "a" } }

const put = (contents: Contents) =>
  Object.entries(contents).map(([id, fields]) => ({
    id: Dataset.ItemId.make(id),
    content: Dataset.contentOf({ ...content, ...fields })
  }))

/** Two experiments with versions of a dataset: the second version has the first contents, and the third the others. */
const created = Effect.fnUntraced(function*(
  versions: readonly [base: number, other: number],
  contents: Contents = {},
  changes: Contents = {}
) {
  const [store, datasets] = [yield* ExperimentStore, yield* DatasetStore]
  const source = dataset()
  yield* datasets.create(source, put(contents))
  const remove = Object.keys(contents).filter((id) => !(id in changes))
  yield* datasets.change(source.id, Owner.anyone, change({ put: put(changes), remove }))
  const [base, other] = [
    experiment(source.id, { dataset_version: versions[0] }),
    experiment(source.id, { dataset_version: versions[1] })
  ]
  for (const one of [base, other]) yield* store.create({ experiment: one }, jobOfExperiment(one), 1_000_000)
  return { store, base: base.id, other: other.id }
})

export const comparisons = (it: Vitest.MethodsNonLive<DatasetStore | ExperimentStore>) => {
  it.effect("two experiments are compared by their items, the largest loss first, then the largest gain, in pages", () =>
    Effect.gen(function*() {
      const { base, other, store } = yield* created([2, 2])
      const sides: Readonly<Record<string, readonly [base: Side | null, other: Side | null]>> = {
        same: [["passed", 1], ["passed", 1]],
        better: [["failed", 0], ["passed", 1]],
        worse: [["passed", 1], ["failed", 0.2]],
        unrated: [["error", null], ["passed", null]],
        broken: [["passed", 1], ["error", null]],
        lower: [["failed", 0.5], ["failed", 0.4]],
        unjudged: [["passed", 1], ["error", null]],
        judged: [["error", null], ["passed", 1]],
        gone: [["passed", 1], null],
        added: [null, ["passed", 1]]
      }
      for (const [place, [id, both]] of Object.entries(sides).entries()) {
        for (const [side, experiment] of [[both[0], base], [both[1], other]] as const) {
          if (side === null) continue
          // the run of an item without scores failed, and of another error the judge
          const hasScores = side[0] !== "error" || id === "unjudged" || id === "judged"
          const scores = hasScores
            ? { status: side[0], score: side[1] }
            : { status: side[0], score: side[1], scores: [] }
          yield* store.record(experiment, place, item(id, scores))
        }
      }
      const { counts, differences } = yield* store.compare(base, other, page)
      assert.deepStrictEqual(counts, {
        regressions: 3,
        improvements: 2,
        unchanged: 1,
        changed_items: 0,
        unjudged: 2,
        only_base: 1,
        only_other: 1
      })
      assert.deepStrictEqual(differences.map(({ item_id }) => item_id as string), [
        "worse",
        "lower",
        "broken",
        "better",
        "unrated",
        "same",
        "unjudged",
        "judged",
        "gone",
        "added"
      ])
      assert.deepStrictEqual(differences[2], {
        item_id: Dataset.ItemId.make("broken"),
        input: "broken ü?",
        base: { status: "passed", score: 1 },
        other: { status: "error", score: null },
        change: null,
        is_regression: true,
        is_item_changed: false,
        is_unjudged: false
      })
      for (const place of [6, 7]) {
        assert.deepInclude(differences[place], { is_unjudged: true, is_regression: false, change: null })
      }
      assert.deepInclude(differences[9], { base: null, change: null, input: "added ü?" })
      const second = yield* store.compare(base, other, { page: 2, limit: 3 })
      assert.deepStrictEqual(second, { counts, differences: differences.slice(3, 6) })
      const none = yield* store.compare(Experiment.Id.make("a"), Experiment.Id.make("b"), page)
      assert.deepStrictEqual(none.differences, [])
    }))

  it.effect("an item with another input or expectation in the other version is neither a regression nor an improvement", () =>
    Effect.gen(function*() {
      const names = ["kept", "input", "output", "calls", "metadata"]
      const { base, other, store } = yield* created(
        [2, 3],
        Object.fromEntries([...names, "gone", "half"].map((id) => [id, {}])),
        {
          // of a changed item with one result
          half: { input: "y" },
          // the same again is another row
          kept: {},
          input: { input: "y" },
          output: { expected_output: { city: "Rome" } },
          calls: { expected_tool_calls: ["weather"] },
          // nothing is expected of it
          metadata: { metadata: null },
          added: {}
        }
      )
      for (const [place, id] of names.entries()) {
        yield* store.record(base, place, item(id, { status: "passed", score: 1 }))
        yield* store.record(other, place, item(id, { status: "failed", score: 0 }))
      }
      yield* store.record(base, 5, item("gone"))
      yield* store.record(other, 5, item("added"))
      yield* store.record(base, 6, item("half"))
      const { counts, differences } = yield* store.compare(base, other, page)
      const among = { changed_items: 3, unchanged: 0, unjudged: 0 }
      assert.deepStrictEqual(counts, { ...among, only_base: 2, only_other: 1, regressions: 2, improvements: 0 })
      const idsOf = (found: ReadonlyArray<Experiment.Difference>) => found.map(({ item_id }) => item_id as string)
      assert.deepStrictEqual(idsOf(differences.filter(({ is_item_changed }) => is_item_changed)), [
        "input",
        "output",
        "calls",
        "half"
      ])
      assert.deepStrictEqual(idsOf(differences.filter(({ is_regression }) => is_regression)), ["kept", "metadata"])
      assert.deepInclude(differences.find(({ item_id }) => item_id === "input"), { is_regression: false, change: -1 })
      const backwards = yield* store.compare(other, base, page)
      assert.deepStrictEqual(backwards.counts, {
        ...among,
        only_base: 1,
        only_other: 2,
        regressions: 0,
        improvements: 2
      })
      assert.deepInclude((yield* store.compare(base, base, page)).counts, { changed_items: 0, unchanged: 7 })
    }))
}
