// Copies of sessions: everything in them under new ids, and no run that is executing.
import { assert, type Vitest } from "@effect/vitest"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { Forking, NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import * as Approvals from "../approvals/Approvals.ts"
import { ending, events, message, newId, newRun, runId, sessionId, talk, userId } from "../Samples.ts"
import { findSession } from "./stored.ts"

const component = { kind: "agent" as const, id: "assistant" }

const fork = (source: NewRun, fields: Partial<Forking> = {}) => {
  const session_id = sessionId()
  const forking = { source: source.session_id, session_id, filter: { owner: Owner.anyone, component }, created_at: 5 }
  return Effect.map(
    RunStore.use((runs) => runs.fork({ ...forking, ...fields })),
    (forked) => ({ isForked: Option.isSome(forked), forked, session_id })
  )
}

const listed = (id: NewRun["session_id"]) =>
  RunStore.use((runs) =>
    Effect.map(runs.list(id, { owner: Owner.anyone }), Option.getOrElse((): ReadonlyArray<Run.Output> => [] as never))
  )

/** What is the same in a run and its copy. */
const contentOf = (run: object) => {
  const { events: _, forked_from_session_id: __, run_id: ___, session_id: ____, ...rest } = run as Run.Output
  return rest
}

const run = Effect.fnUntraced(function*(begun: NewRun, fields: Partial<Run.Output> = {}) {
  const runs = yield* RunStore
  yield* runs.create(begun)
  const output = { messages: talk("\u0000 q", "a \ud800"), content: { "\u0000": "\u0000" }, ...fields }
  yield* runs.finish(ending(begun, { events: events(begun, 2), run: output, usage: { input_tokens: 1 } }))
})

export const forking = (it: Vitest.MethodsNonLive<ApprovalStore | JobStore | RunStore | SessionStore>) => {
  it.effect("a session is copied with its runs, their messages and their events", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun({ user_id: userId(), component_metadata: { zebra: 1, apple: "\u0000" } })
      const second = { ...first, run_id: runId() }
      yield* run(first)
      yield* run(second, { status: "ERROR", messages: [message("user", "again")] })
      const { isForked, session_id } = yield* fork(first)
      assert.isTrue(isForked)
      const [source, copies] = [yield* listed(first.session_id), yield* listed(session_id)]
      assert.deepStrictEqual(copies.map(contentOf), source.map(contentOf))
      for (const copy of copies) {
        assert.match(copy.run_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.deepInclude(copy, { session_id, forked_from_session_id: first.session_id })
        const read = yield* runs.readEvents(session_id, copy.run_id, { owner: Owner.anyone }, { after: -1, limit: 9 })
        const { events } = Option.getOrThrow(read)
        assert.deepStrictEqual(events.map(({ event_index }) => event_index), [0, 1, 2, 3, 4])
        assert.isTrue(events.every((event) => event.run_id === copy.run_id && event.session_id === session_id))
        assert.isTrue(events.some(RunEvent.isContent))
      }
      const [original, made] = [(yield* findSession(first.session_id))!, yield* findSession(session_id)]
      assert.deepStrictEqual(made, { ...original, session_id, created_at: 5, updated_at: 5 })
    }))

  it.effect("the source of a copy stays as it is, and the two change independently", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun()
      yield* run(first)
      const before = yield* listed(first.session_id)
      const { session_id } = yield* fork(first)
      const begun = yield* runs.create({ ...first, run_id: runId(), session_id, history: 3 })
      assert.strictEqual(begun.history.length, 2)
      assert.deepStrictEqual(yield* listed(first.session_id), before)
    }))

  it.effect("a copy of a copy names the first source", () =>
    Effect.gen(function*() {
      const first = newRun()
      yield* run(first)
      const one = yield* fork(first)
      const { session_id } = yield* fork({ ...first, session_id: one.session_id })
      const copies = yield* listed(session_id)
      assert.deepStrictEqual(copies.map((copy) => (copy as Run.Output).forked_from_session_id), [first.session_id])
    }))

  it.effect("a run that is executing is not copied, and a paused one is copied so that it can be continued", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const paused = newRun({ command: { stream: true } })
      yield* runs.create(paused)
      yield* runs.record({ run_id: paused.run_id, attempt: 1, position: 0, entry: { step: "\u0000" }, events: [] })
      yield* runs.finish(ending(paused, { run: { status: "PAUSED" } }))
      yield* runs.create({ ...paused, run_id: runId() })
      const { forked, session_id } = yield* fork(paused)
      const [copy, ...others] = yield* listed(session_id)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(forked, Option.some({ paused: new Map([[copy!.run_id, paused.run_id]]), approvals: [] }))
      const filter = { owner: Owner.anyone }
      const stored = yield* Effect.flatMap(runs.snapshot(session_id, copy!.run_id, filter), Effect.fromOption)
      assert.deepInclude(stored, { status: "PAUSED", entries: [{ step: "\u0000" }], command: { stream: true } })
      const { attempt, run_id } = stored
      const held = yield* runs.resume({ run_id, attempt, node: "node", entry: undefined })
      assert.deepStrictEqual(Option.toArray(held), [attempt + 1])
      yield* runs.finish({ ...ending({ ...paused, run_id, session_id }), attempt: attempt + 1 })
      const [ended] = yield* listed(session_id)
      assert.deepInclude(ended, { run_id, status: "COMPLETED", forked_from_session_id: paused.session_id })
    }))

  it.effect("a copy with a paused run is stored with a job that has the run, its copy and its approval, and another copy without", () =>
    Effect.gen(function*() {
      const jobs = yield* JobStore
      const forkedWith = Effect.fnUntraced(function*(source: NewRun) {
        const job = { id: Job.Id.make(newId("job")), kind: newId("kind"), max_attempts: 3, run_at: 4_000_000_000 }
        const { forked, session_id } = yield* fork(source, { job })
        return { forked, job, session_id, stored: yield* jobs.find(job.id, Owner.anyone) }
      })
      const [paused, ended] = [newRun(), newRun()]
      yield* run(paused, { status: "PAUSED" })
      yield* run(ended)
      const of = { run_id: paused.run_id, session_id: paused.session_id }
      const [, approval] = yield* Effect.forEach(
        [{}, Approvals.filled()],
        (fields) => Approvals.create(Approvals.approval({ ...fields, ...of }))
      )
      for (const others of [{ ...of, approval_type: "audit" as const }, { session_id: paused.session_id }]) {
        yield* Approvals.create(Approvals.approval(others))
      }
      const copy = yield* forkedWith(paused)
      const copies = Object.fromEntries(Option.getOrThrow(copy.forked).paused)
      assert.deepInclude(Option.getOrThrow(copy.stored), {
        kind: copy.job.kind,
        status: "PENDING",
        user_id: null,
        session_id: copy.session_id,
        run_at: copy.job.run_at,
        payload: {
          source: paused.session_id,
          session_id: copy.session_id,
          paused: copies,
          approvals: [Json.of(approval!)]
        }
      })
      assert.deepStrictEqual(Object.values(copies), [paused.run_id])
      assert.deepStrictEqual(Option.getOrThrow(copy.forked).approvals, [approval!])
      const without = yield* forkedWith(ended)
      assert.isTrue(Option.isSome(without.forked))
      assert.isTrue(Option.isNone(without.stored))
    }))

  it.effect("a session that is empty, foreign, of another component or unknown is not copied", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun({ user_id: userId() })
      yield* runs.create(first)
      assert.isFalse((yield* fork(first)).isForked, "its run is executing")
      yield* runs.finish(ending(first))
      for (
        const fields of [
          { filter: { owner: Owner.user(userId()), component } },
          { filter: { owner: Owner.none, component } },
          { filter: { owner: Owner.anyone, component: { ...component, id: "other" } } },
          { filter: { owner: Owner.anyone, component: { ...component, kind: "team" as const } } },
          { source: sessionId() }
        ]
      ) {
        const { isForked, session_id } = yield* fork(first, fields)
        assert.isFalse(isForked)
        assert.isUndefined(yield* findSession(session_id))
      }
      assert.isTrue((yield* fork(first, { filter: { owner: Owner.user(first.user_id!), component } })).isForked)
    }))
}
