// What happens in a database and is announced to webhooks.
import { assert, layer } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Approvals from "@svc-runtime/test-support/suites/approvals/Approvals"
import { ending, newRun, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import { DatasetStore } from "../../evaluation/datasets/DatasetStore.ts"
import { EvalRunStore } from "../../evaluation/EvalRunStore.ts"
import { ExperimentStore } from "../../evaluation/experiments/ExperimentStore.ts"
import { dataset } from "../../evaluation/test/DatasetStoreSuite.ts"
import { completed, evalRun, jobOf } from "../../evaluation/test/SampleEvalRuns.ts"
import { experiment, jobOfExperiment } from "../../evaluation/test/SampleExperiments.ts"
import { ScheduleRunStore } from "../../schedules/ScheduleRunStore.ts"
import { ScheduleStore } from "../../schedules/ScheduleStore.ts"
import { ending as endingOf, firingOf, slotAt } from "../../schedules/test/ScheduleRunStoreSuite.ts"
import { maxSchedules, schedule } from "../../schedules/test/ScheduleStoreSuite.ts"
import { DeliveryStore, eventKind } from "../DeliveryStore.ts"
import type * as Webhook from "../Webhook.ts"
import type * as WebhookDelivery from "../WebhookDelivery.ts"
import { WebhookStore } from "../WebhookStore.ts"
import { room, secret, webhook } from "./WebhookStoreSuite.ts"

const page = { page: 1, limit: 1000 }

const announcedTo = Effect.fnUntraced(function*(owner: Owner.Owner) {
  const store = yield* JobStore
  const { jobs } = yield* store.list({ owner, kind: eventKind }, page)
  const found = yield* Effect.forEach(jobs, ({ id }) => Effect.map(store.find(id, Owner.anyone), Option.getOrThrow))
  return found.map(({ payload, session_id }) => ({ ...payload as object as WebhookDelivery.Event, session_id }))
    .reverse()
})

/** The events that were announced of a user. */
const announced = (user_id: ReturnType<typeof userId>) => announcedTo(Owner.user(user_id))

/** The events that were announced with this field. */
const announcedWith = (field: string, value: Json.Value) =>
  Effect.map(announcedTo(Owner.anyone), (events) => events.filter(({ data }) => data[field] === value))

const wanting = Effect.fnUntraced(function*(...events: ReadonlyArray<Webhook.EventType>) {
  const store = yield* WebhookStore
  const one = webhook({ events })
  yield* store.create(one, secret, room)
  return { remove: Effect.asVoid(store.remove(one.id, Owner.anyone)) }
})

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`announcements, ${name}`, (it) => {
    it.effect("the end and the pause of a run are announced once, with the run, if a webhook wants them", () =>
      Effect.gen(function*() {
        const [runs, user_id] = [yield* RunStore, userId()]
        const unwanted = newRun({ user_id })
        yield* runs.create(unwanted)
        yield* runs.finish(ending(unwanted))
        const wanted = yield* wanting("run.completed", "run.failed", "run.cancelled", "run.paused")
        for (const status of ["COMPLETED", "ERROR", "CANCELLED", "PAUSED"] as const) {
          const begun = newRun({ user_id })
          yield* runs.create(begun)
          const end = ending(begun, { run: { status } })
          assert.isTrue(yield* runs.finish(end))
          // the end is sent twice, because its answer was lost
          assert.isTrue(yield* runs.finish(end))
          const { run_id, session_id } = begun
          const component = { kind: begun.kind, id: begun.component_id }
          const last = (yield* announced(user_id)).at(-1)
          assert.deepInclude(last, { component, session_id })
          assert.deepStrictEqual(last?.data, { run_id, session_id, user_id, component, status })
        }
        yield* wanted.remove
        const types = (yield* announced(user_id)).map(({ type }) => type)
        assert.deepStrictEqual(types, ["run.completed", "run.failed", "run.cancelled", "run.paused"])
      }))

    it.effect("an event is for webhooks that are there when it happens, and not for later ones", () =>
      Effect.gen(function*() {
        const [runs, webhooks, user_id] = [yield* RunStore, yield* WebhookStore, userId()]
        const first = webhook({ events: ["run.completed"], component: null, user_id })
        const later = webhook({ events: ["run.completed"], component: null, user_id })
        yield* webhooks.create(first, secret, room)
        const begun = newRun({ user_id })
        yield* runs.create(begun)
        assert.isTrue(yield* runs.finish(ending(begun)))
        yield* webhooks.create(later, secret, room)
        const event = (yield* announced(user_id)).at(-1)!
        const matching = yield* webhooks.matching(event, user_id)
        assert.deepStrictEqual(matching.filter((id) => id === first.id || id === later.id), [first.id])
        yield* Effect.forEach([first, later], ({ id }) => webhooks.remove(id, Owner.anyone), { discard: true })
      }))

    it.effect("an approval is announced when it is created and when it is resolved", () =>
      Effect.gen(function*() {
        const user_id = userId()
        const wanted = yield* wanting("approval.created", "approval.resolved")
        const one = Approvals.approval({ user_id, agent_id: "assistant", source_type: "agent" })
        yield* Approvals.create(one)
        yield* Approvals.create(one)
        yield* Approvals.resolve(one)
        yield* wanted.remove
        const events = yield* announced(user_id)
        assert.deepStrictEqual(events.map(({ type }) => type), ["approval.created", "approval.resolved"])
        for (const [index, status] of (["pending", "approved"] as const).entries()) {
          const { run_id, session_id, tool_name } = one
          const component = { kind: "agent", id: "assistant" }
          assert.deepInclude(events[index]?.data, {
            approval_id: one.id,
            run_id,
            session_id,
            user_id,
            component,
            status,
            tool_name
          })
        }
      }))

    it.effect("the end of an evaluation is announced", () =>
      Effect.gen(function*() {
        const evalRuns = yield* EvalRunStore
        const wanted = yield* wanting("evaluation.completed")
        const one = evalRun()
        yield* evalRuns.create(one, jobOf(one), 1_000_000)
        yield* evalRuns.begin(one.id)
        yield* evalRuns.finish(one.id, completed)
        yield* wanted.remove
        const events = yield* announcedWith("evaluation_id", one.id)
        assert.deepStrictEqual(events.map(({ type }) => type), ["evaluation.completed"])
        assert.deepInclude(events[0]?.data, { status: "COMPLETED", eval_type: one.eval_type, name: one.name })
      }))

    it.effect("the end of an experiment is announced once, to its user, with its dataset", () =>
      Effect.gen(function*() {
        const [datasets, experiments, user_id] = [yield* DatasetStore, yield* ExperimentStore, userId()]
        const wanted = yield* wanting("experiment.completed")
        const source = dataset()
        yield* datasets.create(source)
        const one = experiment(source.id, { user_id, name: "first" })
        yield* experiments.create({ experiment: one }, jobOfExperiment(one), 1_000_000)
        yield* experiments.begin(one.id)
        assert.lengthOf(yield* announced(user_id), 0)
        const end = { status: "FAILED", error: "no", summary: null, updated_at: 2_000 } as const
        yield* experiments.finish(one.id, end)
        yield* experiments.finish(one.id, end)
        yield* wanted.remove
        const events = yield* announced(user_id)
        assert.deepStrictEqual(events.map(({ type }) => type), ["experiment.completed"])
        const component = { kind: one.kind, id: one.component_id }
        const data = {
          experiment_id: one.id,
          user_id,
          component,
          status: "FAILED",
          name: "first",
          dataset_id: source.id,
          dataset_version: one.dataset_version
        }
        assert.deepInclude(events[0], { component, session_id: null, data })
      }))

    it.effect("a run of a schedule is announced when its last attempt has failed, with the beginning of its error", () =>
      Effect.gen(function*() {
        const [schedules, store, session_id] = [yield* ScheduleStore, yield* ScheduleRunStore, sessionId()]
        const wanted = yield* wanting("schedule.failed")
        const one = schedule({
          overlap: "allow",
          max_retries: 1,
          consecutive_failures: 0,
          paused_reason: null,
          next_run_at: 1_000_000
        })
        yield* schedules.create(one, maxSchedules)
        const [failing, succeeding, last] = [slotAt(1_000_000), slotAt(1_000_001), slotAt(1_000_002)]
        yield* store.fire([firingOf(one, [failing, succeeding, last])])
        const announcedOfIt = announcedWith("schedule_id", one.id)
        const fail = (fields: object = {}) =>
          endingOf({ status: "failed", error: "\u{1f600}".repeat(2000), session_id, ...fields }, 2)
        const first = fail()
        yield* store.finish(failing.id, first)
        yield* store.finish(succeeding.id, endingOf({}, 2))
        assert.lengthOf(yield* announcedOfIt, 0)
        yield* store.finish(first.next_id, fail())
        yield* store.finish(first.next_id, fail())
        const data = {
          schedule_id: one.id,
          name: one.name,
          schedule_run_id: first.next_id,
          run_id: "r",
          session_id,
          status: "failed",
          error: "\u{1f600}".repeat(1000),
          attempts: 2,
          disabled: false
        }
        const [event, ...more] = yield* announcedOfIt
        assert.lengthOf(more, 0)
        assert.deepInclude(event, { type: "schedule.failed", component: null, session_id, data })
        const again = fail()
        yield* store.finish(last.id, again)
        yield* store.finish(again.next_id, fail({ error: "again", session_id: null }))
        yield* wanted.remove
        const disabled = (yield* announcedOfIt).at(-1)?.data
        assert.deepInclude(disabled, { schedule_run_id: again.next_id, error: "again", disabled: true })
        assert.lengthOf(yield* announcedOfIt, 2)
      }))

    it.effect("what webhooks of another database follow is announced, until they no longer do", () =>
      Effect.gen(function*() {
        const [store, user_id] = [yield* DeliveryStore, userId()]
        const happened = {
          type: "schedule.failed",
          component: null,
          data: { a: 1 },
          user_id,
          session_id: null
        } as const
        yield* store.announce(happened)
        yield* store.follow(["schedule.failed"])
        yield* store.announce(happened)
        yield* store.follow([])
        yield* store.announce(happened)
        assert.deepStrictEqual((yield* announced(user_id)).map(({ data }) => data), [{ a: 1 }])
      }))
  })
