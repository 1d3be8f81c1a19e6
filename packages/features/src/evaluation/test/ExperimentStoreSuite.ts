// What every `ExperimentStore` has to do.
import { assert, layer } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { find as findJob, finish } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Dataset from "../Dataset.ts"
import { DatasetStore } from "../datasets/DatasetStore.ts"
import type * as Experiment from "../Experiment.ts"
import { ExperimentStore } from "../experiments/ExperimentStore.ts"
import * as Summary from "../experiments/Summary.ts"
import { comparisons } from "./comparisons.ts"
import { dataset } from "./DatasetStoreSuite.ts"
import { experiment, experimentItem as item, jobOfExperiment } from "./SampleExperiments.ts"

const many = 1_000_000

const page = { page: 1, limit: 10 }
const anyone = Owner.anyone
const found = Option.getOrThrow

const created = Effect.fnUntraced(function*(fields: Partial<Experiment.Stored> = {}) {
  const [store, datasets] = [yield* ExperimentStore, yield* DatasetStore]
  const source = dataset()
  if (fields.dataset_id === undefined) yield* datasets.create(source)
  const stored = experiment(source.id, fields)
  const job = jobOfExperiment(stored)
  assert.isTrue(yield* store.create({ experiment: stored }, job, many))
  return { store, stored, id: stored.id, job, datasets }
})

export const suite = <E>(name: string, stores: Layer.Layer<DatasetStore | ExperimentStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ExperimentStore, ${name}`, (it) => {
    it.effect("an experiment is stored with its job, and read as it was stored", () =>
      Effect.gen(function*() {
        const { id, job, store, stored } = yield* created({ name: "first" })
        assert.deepStrictEqual(found(yield* store.find(id, anyone)), stored)
        assert.strictEqual((yield* findJob(job.id)).key, id)
      }))

    it.effect("an experiment begins with the versions of its component with which it was stored", () =>
      Effect.gen(function*() {
        const { store, stored } = yield* created()
        const one = experiment(stored.dataset_id)
        const draft = { name: "\u0000", config: { text: "\u0000" }, links: [] }
        const component_versions = { numbers: { assistant: 3 }, draft }
        yield* store.create({ experiment: one, component_versions }, jobOfExperiment(one), many)
        const begun = { experiment: { ...one, status: "RUNNING" }, component_versions }
        assert.deepStrictEqual<unknown>(found(yield* store.begin(one.id)), begun)
        assert.notProperty(found(yield* store.begin(stored.id)), "component_versions")
      }))

    it.effect("no experiment is stored, and no job, if as many as the limit have not ended", () =>
      Effect.gen(function*() {
        const { store, stored } = yield* created()
        const one = experiment(stored.dataset_id)
        assert.isFalse(yield* store.create({ experiment: one }, jobOfExperiment(one), 1))
        assert.isTrue(Option.isNone(yield* store.find(one.id, anyone)))
        assert.isTrue(Option.isNone(yield* Effect.option(findJob(jobOfExperiment(one).id))))
      }))

    it.effect("an experiment that is stored already is not stored again, also at the limit and after its end", () =>
      Effect.gen(function*() {
        const { id, job, store, stored } = yield* created()
        yield* store.begin(id)
        assert.isTrue(yield* store.create({ experiment: stored }, job, 1))
        assert.strictEqual(found(yield* store.find(id, anyone)).status, "RUNNING")
        yield* store.finish(id, { status: "CANCELLED", error: null, summary: null, updated_at: 1_000 })
        assert.isTrue(yield* store.create({ experiment: stored }, job, 1))
        assert.strictEqual(found(yield* store.find(id, anyone)).status, "CANCELLED")
      }))

    it.effect("requests at the same time make no more experiments than the limit", () =>
      Effect.gen(function*() {
        const { store, stored } = yield* created()
        const { experiments } = yield* store.list({ owner: anyone }, { page: 1, limit: 1000 })
        const unfinished = experiments.filter(({ status }) => status === "PENDING" || status === "RUNNING").length
        const made = yield* Effect.forEach(
          Array.from({ length: 12 }, () => experiment(stored.dataset_id)),
          (one) => store.create({ experiment: one }, jobOfExperiment(one), unfinished + 2),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(made.filter((isStored) => isStored), 2)
      }))

    it.effect("a user has at most half of the experiments that the limit allows, until one of them ends", () =>
      Effect.gen(function*() {
        const { store, stored } = yield* created()
        const { experiments } = yield* store.list({ owner: anyone }, { page: 1, limit: 1000 })
        const share = experiments.filter(({ status }) => status === "PENDING" || status === "RUNNING").length + 2
        const [ann, bob] = [userId(), userId()]
        const create = (user_id: Ids.UserId) => {
          const one = experiment(stored.dataset_id, { user_id })
          const isStored = store.create({ experiment: one }, jobOfExperiment(one), 2 * share)
          return Effect.map(isStored, (isStored) => ({ id: one.id, isStored }))
        }
        const made = yield* Effect.forEach(Array.from({ length: share }), () => create(ann))
        assert.isTrue(made.every(({ isStored }) => isStored))
        assert.isFalse((yield* create(ann)).isStored)
        assert.isTrue((yield* create(bob)).isStored)
        yield* store.finish(made[0]!.id, { status: "CANCELLED", error: null, summary: null, updated_at: 1_000 })
        assert.isTrue((yield* create(ann)).isStored)
      }))

    it.effect("the first result of each item is kept, in the order of the dataset, and a completed experiment has all of its items done", () =>
      Effect.gen(function*() {
        const { id, store } = yield* created()
        assert.strictEqual(found(yield* store.begin(id)).experiment.status, "RUNNING")
        const [first, second] = [item("a"), item("b", { status: "failed", score: null, cost: 0.5 })]
        assert.isTrue(yield* store.record(id, 1, second))
        assert.isTrue(yield* store.record(id, 0, first))
        assert.isTrue(yield* store.record(id, 0, item("again")))
        assert.deepStrictEqual([...yield* store.recorded(id)].sort(), ["a", "b"])
        assert.strictEqual(found(yield* store.find(id, anyone)).items_done, 2)
        assert.isTrue(yield* store.finish(id, { status: "COMPLETED", error: null, summary: null, updated_at: 2_000 }))
        assert.strictEqual(found(yield* store.find(id, anyone)).items_done, 3)
        assert.deepStrictEqual(yield* store.items(id, page), { items: [first, second], total: 2 })
        assert.deepStrictEqual(yield* store.items(id, { page: 2, limit: 1 }), { items: [second], total: 2 })
        assert.deepStrictEqual(yield* store.items(id, page, second.item_id), { items: [second], total: 1 })
        assert.deepStrictEqual(yield* store.items(id, page, Dataset.ItemId.make("none")), { items: [], total: 0 })
      }))

    it.effect("the summary has the pass rate and the statistics of the results, and no means without any", () =>
      Effect.gen(function*() {
        const { id, store } = yield* created()
        const scored = (scorer: string, score: number | null) => ({ scorer, score, passed: score === 1, reason: null })
        const results = [
          item("a", { duration: 1, tokens: 10, cost: 0.1, unpriced_tokens: 1, judge_tokens: 5, judge_cost: 1e-7 }),
          item("b", { status: "failed", score: 0.2, scores: [scored("exact", 0.2), scored("__proto__", null)] }),
          item("c", { duration: 3, cost: 0.2, scores: [scored("exact", 1), scored("__proto__", 0.5)] }),
          item("d", { status: "error", score: null, scores: [], duration: null, tokens: 0 })
        ]
        assert.deepStrictEqual(yield* store.summary(id), Summary.of([]))
        for (const [place, result] of results.entries()) yield* store.record(id, place, result)
        const summary = yield* store.summary(id)
        assert.deepStrictEqual(summary, Summary.of(results))
        assert.deepInclude(summary, {
          passed: 2,
          pass_rate: 0.5,
          duration_p50: 1,
          duration_p95: 2.8,
          cost: 0.3,
          unpriced_tokens: 10
        })
        assert.deepStrictEqual(Object.entries(summary.scores), [["exact", 2.2 / 3], ["__proto__", 0.5]])
      }))

    it.effect("the unpriced tokens of the summary are unknown if those of one result are", () =>
      Effect.gen(function*() {
        const { id, store } = yield* created()
        const results = [item("a", { unpriced_tokens: null }), item("b", { unpriced_tokens: 0 })]
        for (const [place, result] of results.entries()) yield* store.record(id, place, result)
        assert.isNull(Summary.of(results).unpriced_tokens)
        assert.isNull((yield* store.summary(id)).unpriced_tokens)
      }))

    comparisons(it)

    it.effect("an experiment that has ended is not begun, recorded or ended again", () =>
      Effect.gen(function*() {
        const { id, store } = yield* created()
        assert.isTrue(yield* store.finish(id, { status: "CANCELLED", error: "stop", summary: null, updated_at: 2_000 }))
        assert.isTrue(Option.isNone(yield* store.begin(id)))
        assert.isFalse(yield* store.record(id, 0, item("a")))
        assert.isFalse(yield* store.finish(id, { status: "COMPLETED", error: null, summary: null, updated_at: 2_000 }))
        const { created_at, error, status, updated_at } = found(yield* store.find(id, anyone))
        assert.deepStrictEqual([status, error], ["CANCELLED", "stop"])
        assert.deepStrictEqual([created_at, updated_at], [1_000, 2_000], "its end is its last change")
      }))

    it.effect("owners find, list and remove only their own experiments, which are removed with their dataset", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { datasets, id, store, stored } = yield* created({ user_id: ann })
        const { stored: second } = yield* created({ user_id: ann })
        const { stored: others } = yield* created({ user_id: bob })
        const owner = Owner.user(ann)
        const listed = yield* store.list({ owner }, page)
        assert.deepStrictEqual(listed, { experiments: [second, stored], total: 2 })
        const { experiments } = yield* store.list({ owner, dataset_id: stored.dataset_id }, page)
        assert.deepStrictEqual(experiments, [stored])
        for (const stranger of [owner, Owner.none]) {
          assert.isTrue(Option.isNone(yield* store.find(others.id, stranger)))
          assert.isFalse(yield* store.remove(others.id, stranger))
        }
        assert.isTrue(yield* store.remove(second.id, owner))
        yield* store.record(id, 0, item("a"))
        assert.deepStrictEqual(yield* datasets.remove(stored.dataset_id, anyone), Option.some([stored.job_id]))
        assert.deepStrictEqual(yield* store.list({ owner }, page), { experiments: [], total: 0 })
        assert.isTrue(Option.isNone(yield* store.begin(id)))
        assert.isFalse(yield* store.record(id, 1, item("b")))
        assert.strictEqual((yield* store.items(id, page)).total, 0)
      }))

    it.effect("the removal of a dataset gives the jobs of its experiments that have not ended", () =>
      Effect.gen(function*() {
        const { datasets, id, store, stored } = yield* created()
        const { dataset_id } = stored
        const [begun, ended] = [experiment(dataset_id), experiment(dataset_id)]
        for (const one of [begun, ended]) yield* store.create({ experiment: one }, jobOfExperiment(one), many)
        yield* created()
        yield* store.begin(begun.id)
        yield* store.finish(ended.id, { status: "CANCELLED", error: null, summary: null, updated_at: 2_000 })
        const jobs = found(yield* datasets.remove(dataset_id, anyone))
        assert.deepStrictEqual([...jobs].sort(), [stored.job_id, begun.job_id].sort())
        assert.isTrue(Option.isNone(yield* store.find(id, anyone)))
        assert.isTrue(Option.isNone(yield* datasets.remove(dataset_id, anyone)))
      }))

    it.effect("the job of an experiment counts for its user", () =>
      Effect.gen(function*() {
        const kind = newId("kind")
        const [jobs, store] = [yield* JobStore, yield* ExperimentStore]
        const [ann, bob] = [userId(), userId()]
        const { stored: { dataset_id } } = yield* created()
        const of = (user_id: Ids.UserId) => experiment(dataset_id, { user_id })
        for (const one of [of(ann), of(bob)]) {
          yield* store.create({ experiment: one }, { ...jobOfExperiment(one), kind }, many)
        }
        const busy = [{ kind, caller: ann }]
        const acquired = yield* jobs.acquire({ node: "node", slots: { [kind]: 2 }, busy })
        assert.deepStrictEqual(
          acquired.map(({ caller }) => caller),
          [bob]
        )
        for (const each of acquired) yield* finish(each, { _tag: "Completed" })
      }))

    it.effect("the unfinished experiments of a user fail, and those of others do not", () =>
      Effect.gen(function*() {
        const store = yield* ExperimentStore
        const { stored: { dataset_id } } = yield* created()
        const [tester, bob] = [userId(), userId()]
        const all = [experiment(dataset_id, { user_id: tester }), experiment(dataset_id, { user_id: bob })]
        for (const one of all) yield* store.create({ experiment: one }, jobOfExperiment(one), many)
        const failAll = store.failAll({ user_id: tester, at: 9_000, error: "revoked" })
        assert.deepStrictEqual([yield* failAll, yield* failAll], [1, 0])
        const stored = yield* Effect.forEach(all, ({ id }) => Effect.map(store.find(id, anyone), found))
        assert.deepStrictEqual(stored.map(({ error, status }) => [status, error]), [
          ["FAILED", "revoked"],
          ["PENDING", null]
        ])
      }))

    it.effect("experiments whose job is gone fail, and those with a job of any kind do not", () =>
      Effect.gen(function*() {
        const kind = newId("kind")
        const [jobs, store] = [yield* JobStore, yield* ExperimentStore]
        const { stored: { dataset_id } } = yield* created()
        const [waiting, orphan] = [experiment(dataset_id), experiment(dataset_id)]
        for (const one of [waiting, orphan]) {
          yield* store.create({ experiment: one }, { ...jobOfExperiment(one), kind }, many)
        }
        yield* jobs.cancel(jobOfExperiment(orphan).id, anyone)
        yield* store.failOrphaned({ before: 5_000, error: "gone" })
        const { error, status } = found(yield* store.find(orphan.id, anyone))
        assert.deepStrictEqual([error, status], ["gone", "FAILED"])
        assert.strictEqual(found(yield* store.find(waiting.id, anyone)).status, "PENDING")
      }))
  })
