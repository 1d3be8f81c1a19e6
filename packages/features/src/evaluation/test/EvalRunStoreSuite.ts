// What every `EvalRunStore` has to do.
import { assert, layer } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as Share from "@svc-runtime/engine/limits/Share"
import { find as findJob, finish } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as EvalRun from "../EvalRun.ts"
import { EvalRunStore } from "../EvalRunStore.ts"
import { completed, evalRun, jobOf, request } from "./SampleEvalRuns.ts"

const many = 1_000_000

const created = Effect.fnUntraced(function*(fields: Partial<EvalRun.Stored> = {}) {
  const store = yield* EvalRunStore
  const stored = evalRun(fields)
  const job = jobOf(stored)
  assert.isTrue(yield* store.create(stored, job, many))
  return { store, stored, job }
})

const newest = { by: "created_at", order: "desc" } as const
const page = { page: 1, limit: 10 }
const found = Option.getOrThrow

export const suite = <E>(name: string, stores: Layer.Layer<EvalRunStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`EvalRunStore, ${name}`, (it) => {
    it.effect("an evaluation is stored with its job, and read as it was stored", () =>
      Effect.gen(function*() {
        const { job, store, stored } = yield* created({ name: "a \u0000 name" })
        assert.deepStrictEqual(found(yield* store.find(stored.id)).request, stored.request)
        assert.strictEqual((yield* findJob(job.id)).key, stored.id)
        assert.isTrue(Option.isNone(yield* store.find(EvalRun.Id.make(newId("eval")))))
      }))

    it.effect("no evaluation is stored, and no job, if as many as the limit have not ended", () =>
      Effect.gen(function*() {
        const { store } = yield* created()
        const one = evalRun()
        assert.isFalse(yield* store.create(one, jobOf(one), 1))
        assert.isTrue(Option.isNone(yield* store.find(one.id)))
        assert.isTrue(Option.isNone(yield* Effect.option(findJob(jobOf(one).id))))
      }))

    it.effect("an evaluation that is stored already is not stored again, also at the limit and after its end", () =>
      Effect.gen(function*() {
        const { job, store, stored } = yield* created()
        yield* store.begin(stored.id)
        assert.isTrue(yield* store.create(stored, job, 1))
        assert.strictEqual(found(yield* store.find(stored.id)).status, "RUNNING")
        yield* store.finish(stored.id, completed)
        assert.isTrue(yield* store.create(stored, job, 1))
        assert.strictEqual(found(yield* store.find(stored.id)).status, "COMPLETED")
      }))

    it.effect("requests at the same time make no more evaluations than the limit", () =>
      Effect.gen(function*() {
        const { store } = yield* created()
        const { total } = yield* store.list({ statuses: ["PENDING", "RUNNING"] }, page, newest)
        const stored = yield* Effect.forEach(
          Array.from({ length: 12 }, () => evalRun()),
          (one) => store.create(one, jobOf(one), total + 2),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(stored.filter((isStored) => isStored), 2)
      }))

    it.effect("a user has at most half of the evaluations that the limit allows, until one of them ends", () =>
      Effect.gen(function*() {
        const { store } = yield* created()
        const { total } = yield* store.list({ statuses: ["PENDING", "RUNNING"] }, page, newest)
        const share = total + 2
        const [ann, bob] = [userId(), userId()]
        const create = (user_id: Ids.UserId) => {
          const one = evalRun({ request: { ...request, user_id } })
          return Effect.map(store.create(one, jobOf(one), 2 * share), (isStored) => ({ id: one.id, isStored }))
        }
        const made = yield* Effect.forEach(Array.from({ length: share }), () => create(ann))
        assert.isTrue(made.every(({ isStored }) => isStored))
        assert.isFalse((yield* create(ann)).isStored)
        assert.isTrue((yield* create(bob)).isStored)
        yield* store.finish(made[0]!.id, completed)
        assert.isTrue((yield* create(ann)).isStored)
      }))

    it.effect("a limit of one evaluation leaves each user one", () =>
      Effect.sync(() => {
        assert.isTrue(Share.hasRoom({ all: 0, ofUser: 0 }, 1))
        assert.isFalse(Share.hasRoom({ all: 1, ofUser: 0 }, 1))
      }))

    it.effect("results are kept in their order, the first of each place, until the evaluation ends", () =>
      Effect.gen(function*() {
        const { store, stored: { id } } = yield* created()
        assert.strictEqual(found(yield* store.begin(id)).status, "RUNNING")
        assert.isTrue(yield* store.record(id, 1, { place: 1 }))
        assert.isTrue(yield* store.record(id, 0, { place: 0, text: "\u0000" }))
        assert.isTrue(yield* store.record(id, 0, { place: "again" }))
        assert.deepStrictEqual(yield* store.results(id), [{ place: 0, text: "\u0000" }, { place: 1 }])
        assert.strictEqual(found(yield* store.find(id)).runs_done, 2)
        assert.isTrue(yield* store.finish(id, completed))
        assert.deepStrictEqual(yield* store.results(id), [])
        const { eval_data, eval_input, request, status, updated_at } = found(yield* store.find(id))
        assert.deepStrictEqual({ eval_data, eval_input, request, status, updated_at }, {
          eval_data: completed.eval_data,
          eval_input: completed.eval_input,
          request: null,
          status: "COMPLETED",
          updated_at: 1_000
        })
      }))

    it.effect("an evaluation that has ended is not begun, recorded or ended again", () =>
      Effect.gen(function*() {
        const { store, stored: { id } } = yield* created()
        assert.isTrue(yield* store.finish(id, { ...completed, status: "CANCELLED" }))
        assert.isTrue(Option.isNone(yield* store.begin(id)))
        assert.isFalse(yield* store.record(id, 0, {}))
        assert.isFalse(yield* store.finish(id, completed))
        assert.strictEqual(found(yield* store.find(id)).status, "CANCELLED")
      }))

    it.effect("a list has the evaluations that match all filters, sorted, with the total past its end", () =>
      Effect.gen(function*() {
        const model_id = newId("model")
        const { store, stored: first } = yield* created({ model_id, name: "b", evaluated_component_name: "a" })
        const { stored: second } = yield* created({
          model_id,
          name: "a",
          evaluated_component_name: "B",
          agent_id: null,
          team_id: "team",
          eval_type: "reliability",
          runs_total: 7,
          created_at: 2_000
        })
        const { stored: busy } = yield* created({ model_id })
        for (const { id } of [first, second]) yield* store.finish(id, completed)
        const ids = (filter: object, sort: { readonly by: string; readonly order: "asc" | "desc" } = newest) =>
          Effect.map(
            store.list({ model_id, statuses: ["COMPLETED"], ...filter }, page, sort),
            ({ evalRuns }) => evalRuns.map(({ id }) => id)
          )
        assert.deepStrictEqual(yield* ids({}), [second.id, first.id])
        assert.deepStrictEqual(yield* ids({}, { by: "name", order: "desc" }), [first.id, second.id])
        const byComponent = { by: "evaluated_component_name", order: "desc" } as const
        assert.deepStrictEqual(yield* ids({}, byComponent), [first.id, second.id])
        assert.deepStrictEqual(yield* ids({}, { by: "unknown", order: "asc" }), [first.id, second.id])
        assert.deepStrictEqual(yield* ids({ kind: "team" }), [second.id])
        assert.deepStrictEqual(yield* ids({ agent_id: "agent" }), [first.id])
        assert.deepStrictEqual(yield* ids({ workflow_id: "w" }), [])
        assert.deepStrictEqual(yield* ids({ types: ["reliability"] }), [second.id])
        assert.deepStrictEqual(yield* ids({ statuses: ["PENDING"] }), [busy.id])
        const [newer] =
          (yield* store.list({ model_id, statuses: ["COMPLETED"] }, { page: 1, limit: 1 }, newest)).evalRuns
        assert.deepStrictEqual(newer, found(yield* store.find(second.id)))
        const past = yield* store.list({ model_id, statuses: ["COMPLETED"] }, { page: 9, limit: 1 }, newest)
        assert.deepStrictEqual(past, { evalRuns: [], total: 2 })
      }))

    it.effect("an evaluation is renamed, and unknown ones are not", () =>
      Effect.gen(function*() {
        const { store, stored: { id } } = yield* created()
        const renamed = found(yield* store.rename(id, "new", 3_000))
        assert.deepStrictEqual([renamed.name, renamed.updated_at], ["new", 3_000])
        assert.isTrue(Option.isNone(yield* store.rename(EvalRun.Id.make(newId("eval")), "new", 1)))
      }))

    it.effect("removing gives the jobs of unfinished evaluations", () =>
      Effect.gen(function*() {
        const [{ store, stored: ended }, { stored: busy }] = [yield* created(), yield* created()]
        yield* store.finish(ended.id, completed)
        yield* store.record(busy.id, 0, {})
        assert.deepStrictEqual(yield* store.remove([ended.id, busy.id, "unknown"]), [busy.job_id])
        for (const { id } of [ended, busy]) assert.isTrue(Option.isNone(yield* store.find(id)))
      }))

    it.effect("the job of an evaluation counts for its user", () =>
      Effect.gen(function*() {
        const kind = newId("kind")
        const [jobs, store] = [yield* JobStore, yield* EvalRunStore]
        const [ann, bob] = [userId(), userId()]
        const of = (user_id: Ids.UserId) => evalRun({ request: { ...request, user_id } })
        for (const one of [of(ann), of(bob)]) yield* store.create(one, { ...jobOf(one), kind }, many)
        const busy = [{ kind, caller: ann }]
        const acquired = yield* jobs.acquire({ node: "node", slots: { [kind]: 2 }, busy })
        assert.deepStrictEqual(acquired.map(({ caller }) => caller), [bob])
        for (const each of acquired) yield* finish(each, { _tag: "Completed" })
      }))

    it.effect("the unfinished evaluations of a user fail, and those of others do not", () =>
      Effect.gen(function*() {
        const store = yield* EvalRunStore
        const of = (user_id: Ids.UserId) => evalRun({ request: { ...request, user_id } })
        const [tester, bob] = [userId(), userId()]
        const [waiting, other, ended] = [of(tester), of(bob), of(tester)]
        for (const one of [waiting, other, ended]) yield* store.create(one, jobOf(one), many)
        yield* store.finish(ended.id, { status: "COMPLETED", error: null, eval_data: {}, eval_input: null })
        const failAll = store.failAll({ user_id: tester, at: 9_000, error: "revoked" })
        assert.deepStrictEqual([yield* failAll, yield* failAll], [1, 0])
        const stored = yield* Effect.forEach([waiting, other, ended], ({ id }) => Effect.map(store.find(id), found))
        assert.deepStrictEqual(stored.map(({ error, status }) => [status, error]), [
          ["FAILED", "revoked"],
          ["PENDING", null],
          ["COMPLETED", null]
        ])
      }))

    it.effect("evaluations whose job is gone fail, and those with a job of any kind do not", () =>
      Effect.gen(function*() {
        const kind = newId("kind")
        const jobs = yield* JobStore
        const store = yield* EvalRunStore
        const [waiting, ended, young] = [evalRun(), evalRun(), evalRun({ created_at: 9_000 })]
        for (const one of [waiting, ended, young]) yield* store.create(one, { ...jobOf(one), kind }, many)
        for (const acquired of yield* jobs.acquire({ node: "node", slots: { [kind]: 1 } })) {
          yield* finish(acquired, { _tag: "Retry", error: "x", seconds: 60 })
        }
        yield* jobs.cancel(jobOf(ended).id, Owner.anyone)
        yield* jobs.cancel(jobOf(young).id, Owner.anyone)
        yield* store.failOrphaned({ before: 5_000, error: "gone" })
        const { error, request, status } = found(yield* store.find(ended.id))
        assert.deepStrictEqual({ error, request, status }, { error: "gone", request: null, status: "FAILED" })
        for (const { id } of [waiting, young]) assert.strictEqual(found(yield* store.find(id)).status, "PENDING")
      }))
  })
