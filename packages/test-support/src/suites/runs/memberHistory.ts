// The history of a member of a team: its earlier tasks and answers in the session.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { MemberHistoryQuery } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newRun, runId, sessionId, talk } from "../Samples.ts"

interface Outer {
  readonly run_id: Run.Id
  readonly session_id: string
}

const inside = ({ run_id: parent_run_id, session_id }: Outer, status: Run.Status = "COMPLETED") => ({
  run_id: runId(),
  session_id,
  parent_run_id,
  content_type: "str",
  created_at: 1,
  status
})

const member = (outer: Outer, text: string, agent_id = "reader", status?: Run.Status): Run.Output => ({
  ...inside(outer, status),
  agent_id,
  messages: talk(text, text.toUpperCase())
})

const begin = Effect.fnUntraced(function*(session_id = sessionId()) {
  const begun = newRun({ kind: "team", component_id: "desk", session_id })
  yield* RunStore.use((runs) => runs.create(begun))
  return begun
})

const end = Effect.fnUntraced(function*(begun: NewRun, members: ReadonlyArray<TeamRun.MemberResponse>) {
  const runs = yield* RunStore
  yield* runs.recordMembers({ ...begun, attempt: 1 }, members)
  const { agent_id: _, agent_name: __, member_responses: ___, ...run } = ending(begun).run as Run.Output
  yield* runs.finish({ ...ending(begun), run: { ...run, team_id: "desk" } })
})

/** A run that has ended, with the runs of members in it. */
const past = Effect.fnUntraced(function*(
  session: NewRun["session_id"],
  ...members: ReadonlyArray<(outer: Outer) => Run.Output>
) {
  const begun = yield* begin(session)
  yield* end(begun, members.map((make) => make(begun)))
  return begun
})

const recalled = ({ run_id }: Outer, fields: Partial<MemberHistoryQuery> = {}) =>
  RunStore.use((runs) =>
    runs.memberHistory({ run_id, component: { kind: "agent", id: "reader" }, team: "desk", limit: 9, ...fields })
  ).pipe(Effect.map((messages) => messages.map(({ content }) => content)))

export const memberHistory = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a member gets its own inputs and answers of earlier runs, and no other run does", () =>
    Effect.gen(function*() {
      const session = sessionId()
      yield* past(session, (outer) => member(outer, "one"), (outer) => member(outer, "other", "writer"))
      yield* past(session, (outer) => member(outer, "two \u0000"))
      yield* past(sessionId(), (outer) => member(outer, "elsewhere"))
      const now = yield* begin(session)
      assert.deepStrictEqual(yield* recalled(now), ["one", "ONE", "two \u0000", "TWO \u0000"])
      assert.deepStrictEqual(yield* recalled(now, { limit: 1 }), ["two \u0000", "TWO \u0000"])
      assert.deepStrictEqual(yield* recalled(now, { component: { kind: "team", id: "reader" } }), [])
      assert.deepStrictEqual(yield* recalled(now, { team: "office" }), [])
      assert.deepStrictEqual(yield* recalled({ ...now, run_id: runId() }), [])
    }))

  it.effect("a member gets what it failed to do, unless it is left out", () =>
    Effect.gen(function*() {
      const session = sessionId()
      yield* past(session, (outer) => member(outer, "failed", "reader", "ERROR"), (outer) => member(outer, "done"))
      const now = yield* begin(session)
      const note = "(This turn failed here, before it was finished.)"
      assert.deepStrictEqual(yield* recalled(now), ["failed", `FAILED\n\n${note}`, "done", "DONE"])
      assert.deepStrictEqual(yield* recalled(now, { skipsUnfinished: true }), ["done", "DONE"])
    }))

  it.effect("a member gets what waits, unless it is left out", () =>
    Effect.gen(function*() {
      const session = sessionId()
      yield* past(session, (outer) => member(outer, "paused", "reader", "PAUSED"), (outer) => member(outer, "done"))
      const now = yield* begin(session)
      const note = "(This turn waits here, and is not finished.)"
      assert.deepStrictEqual(yield* recalled(now), ["paused", `PAUSED\n\n${note}`, "done", "DONE"])
      assert.deepStrictEqual(yield* recalled(now, { skipsUnfinished: true }), ["done", "DONE"])
    }))

  it.effect("a member gets nothing of this run, or of runs accepted later", () =>
    Effect.gen(function*() {
      const session = sessionId()
      yield* past(session, (outer) => member(outer, "done"))
      const now = yield* begin(session)
      yield* past(session, (outer) => member(outer, "later"))
      yield* RunStore.use((runs) => runs.recordMembers({ ...now, attempt: 1 }, [member(now, "own")]))
      assert.deepStrictEqual(yield* recalled(now), ["done", "DONE"])
    }))

  it.effect("a member gets nothing of a run whose end is not stored, though its member runs are", () =>
    Effect.gen(function*() {
      const session = sessionId()
      const begun = yield* begin(session)
      const members = [member(begun, "done")]
      yield* RunStore.use((runs) => runs.recordMembers({ ...begun, attempt: 1 }, members))
      const now = yield* begin(session)
      assert.deepStrictEqual(yield* recalled(now), [])
      yield* end(begun, members)
      assert.deepStrictEqual(yield* recalled(now), ["done", "DONE"])
    }))

  it.effect("the members of a nested team get what that team has asked them", () =>
    Effect.gen(function*() {
      const session = sessionId()
      const begun = yield* begin(session)
      const office: TeamRun.Output = { ...inside(begun), team_id: "office", messages: talk("find", "Found") }
      yield* end(begun, [member(office, "inner"), office, member(begun, "outer")])
      const now = yield* begin(session)
      assert.deepStrictEqual(yield* recalled(now, { team: "office" }), ["inner", "INNER"])
      assert.deepStrictEqual(yield* recalled(now), ["outer", "OUTER"])
      assert.deepStrictEqual(yield* recalled(now, { component: { kind: "team", id: "office" } }), ["find", "Found"])
    }))

  it.effect("the members of a copied session get the same history", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { session_id: source } = yield* past(sessionId(), (outer) => member(outer, "one"))
      const session_id = sessionId()
      yield* runs.fork({ source, session_id, filter: { owner: Owner.anyone }, created_at: 5 })
      assert.isTrue(Option.isSome(yield* runs.list(session_id, { owner: Owner.anyone })))
      assert.deepStrictEqual(yield* recalled(yield* begin(session_id)), ["one", "ONE"])
    }))
}
