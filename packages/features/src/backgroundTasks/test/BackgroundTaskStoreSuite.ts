// What every `BackgroundTaskStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { newId, newRun, runId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as BackgroundTask from "../BackgroundTask.ts"
import { BackgroundTaskStore } from "../BackgroundTaskStore.ts"

export const task = (
  session_id: Session.Id,
  fields: Partial<BackgroundTask.New> = {}
): BackgroundTask.New => ({
  id: BackgroundTask.Id.make(newId("task")),
  key: newId("key"),
  session_id,
  user_id: null,
  parent_run_id: runId(),
  parent_kind: "agent",
  parent_id: "assistant",
  tool_name: "researcher",
  component_kind: "agent",
  component_id: "researcher",
  run_id: Run.Id.make(newId("run")),
  run_session_id: sessionId(),
  result_run_id: Run.Id.make(newId("run")),
  input: "tea \u0000 ü",
  inherited: { options: { dependencies: { a: 1 } }, depth: 1 },
  wake: true,
  timeout_seconds: null,
  is_detached: false,
  created_at: 1_000,
  ...fields
})

export const jobOf = ({ id, user_id }: BackgroundTask.New): Job.NewJob => ({
  id: Job.Id.make(newId("job")),
  kind: "background_task",
  key: id,
  isUnique: true,
  payload: {},
  max_attempts: 1,
  user_id,
  session_id: null,
  run_at: undefined
})

const page = { page: 1, limit: 10 }

/** The session of a user. */
const begun = Effect.fnUntraced(function*(user_id = userId()) {
  const run = newRun({ user_id })
  yield* Effect.flatMap(RunStore, (runs) => runs.create(run))
  const { session_id } = run
  const store = yield* BackgroundTaskStore
  const begin = (fields: Partial<BackgroundTask.New> = {}, limit = 10) => {
    const given = task(session_id, { user_id, ...fields })
    return store.begin(given, jobOf(given), limit)
  }
  return { begin, session_id, store, user_id }
})

const jobsOf = (key: string) =>
  Effect.flatMap(JobStore, (jobs) => jobs.list({ owner: Owner.anyone, kind: "background_task", key }, page))

export const suite = <E>(
  name: string,
  stores: Layer.Layer<BackgroundTaskStore | JobStore | RunStore | SessionStore, E>
) =>
  layer(stores, { excludeTestServices: true })(`BackgroundTaskStore, ${name}`, (it) => {
    it.effect("a task is stored with its job, and a call that is repeated finds it", () =>
      Effect.gen(function*() {
        const { begin, store } = yield* begun()
        const key = newId("key")
        const first = Option.getOrThrow(yield* begin({ key }))
        const again = Option.getOrThrow(yield* begin({ key }))
        assert.deepStrictEqual(again, first)
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(first.id)), first)
        assert.deepInclude(first, { input: "tea \u0000 ü", status: "PENDING", result: null, is_delivered: false })
        assert.strictEqual((yield* jobsOf(first.id)).total, 1)
      }))

    it.effect("calls at the same moment exceed no limit, and a task beyond it stores no job", () =>
      Effect.gen(function*() {
        const { begin, session_id, store } = yield* begun()
        const outcomes = yield* Effect.forEach(
          ["a", "b", "c", "d"],
          () =>
            begin({}, 2).pipe(
              Effect.as("stored"),
              Effect.catchTag("TooManyTasks", () => Effect.succeed("refused"))
            ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(outcomes.toSorted(), ["refused", "refused", "stored", "stored"])
        const { tasks, total } = Option.getOrThrow(yield* store.list(session_id, Owner.anyone, page))
        assert.strictEqual(total, 2)
        yield* store.finish(tasks[0]!.id, { status: "COMPLETED", result: "", is_delivered: true, at: 2_000 })
        assert.isTrue(Option.isSome(yield* begin({}, 2)), "an ended task makes room")
      }))

    it.effect("an ended task keeps its end", () =>
      Effect.gen(function*() {
        const { begin, store } = yield* begun()
        const { id } = Option.getOrThrow(yield* begin())
        yield* store.note(id, "RUNNING")
        yield* store.finish(id, { status: "COMPLETED", result: "old \u0000", is_delivered: true, at: 2_000 })
        yield* store.finish(id, { status: "ERROR", result: "later", is_delivered: false, at: 3_000 })
        yield* store.note(id, "PAUSED")
        assert.deepInclude(Option.getOrThrow(yield* store.find(id)), {
          status: "COMPLETED",
          result: "old \u0000",
          is_delivered: true,
          ended_at: 2_000
        })
      }))

    it.effect("a cancellation is requested of unfinished tasks only, and of none that is detached from its run", () =>
      Effect.gen(function*() {
        const { begin, session_id, store, user_id } = yield* begun()
        const parent_run_id = runId(newId("parent"))
        const one = Option.getOrThrow(yield* begin({ parent_run_id }))
        const detached = Option.getOrThrow(yield* begin({ parent_run_id, is_detached: true }))
        const ended = Option.getOrThrow(yield* begin({ parent_run_id }))
        yield* store.finish(ended.id, { status: "COMPLETED", result: "", is_delivered: true, at: 2_000 })
        const ids = (tasks: ReadonlyArray<BackgroundTask.Stored>) => tasks.map(({ id }) => id as string)
        assert.deepStrictEqual(ids(yield* store.requestCancel({ parent_run_id })), [one.id])
        const elsewhere = { task_id: one.id, session_id: sessionId() }
        assert.deepStrictEqual(yield* store.requestCancel(elsewhere), [])
        assert.deepStrictEqual(ids(yield* store.requestCancel({ task_id: one.id, session_id })), [one.id])
        assert.sameMembers(ids(yield* store.requestCancel({ user_id })), [one.id, detached.id])
        assert.isTrue(Option.getOrThrow(yield* store.find(one.id)).is_cancel_requested)
      }))

    it.effect("another user does not find the session, and tasks go with their session", () =>
      Effect.gen(function*() {
        const { begin, session_id, store, user_id } = yield* begun()
        const { id } = Option.getOrThrow(yield* begin())
        assert.isTrue(Option.isNone(yield* store.list(session_id, Owner.user(userId(newId("other"))), page)))
        assert.isTrue(Option.isSome(yield* store.list(session_id, Owner.user(user_id), page)))
        yield* Effect.flatMap(SessionStore, (sessions) => sessions.remove([session_id], Owner.anyone))
        assert.isTrue(Option.isNone(yield* store.find(id)))
        assert.isTrue(Option.isNone(yield* store.list(session_id, Owner.anyone, page)))
        assert.isTrue(Option.isNone(yield* begin()), "nothing begins in a session that is gone")
      }))
  })
