// Copies of sessions of teams: wherever a run names another one of its session, its copy names the copy
// of that one.
import { assert, type Vitest } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newRun, runId, sessionId, talk } from "../Samples.ts"

const anyone = { owner: Owner.anyone }

const inside = (outer: { readonly run_id: Run.Id; readonly session_id: string }) => ({
  run_id: runId(),
  session_id: outer.session_id,
  parent_run_id: outer.run_id,
  content_type: "str",
  created_at: 1_700_000_050,
  status: "PAUSED" as const
})

const call = (tool_call_id: string, tool_args: Json.Object) =>
  ToolExecution.requested({ tool_call_id, tool_name: "tool", tool_args, created_at: 1 })

/** What people and models say is theirs, even if it looks like something that a run says of another one. */
const toolOf = (child_run_id: Run.Id): ToolExecution.ToolExecution => ({
  ...call("c", { run_id: child_run_id }),
  child_run_id
})

const requirementOf = (member_run_id: Run.Id): Requirement.Requirement => ({
  id: "q",
  created_at: "2026-01-01T00:00:00Z",
  tool_execution: call("p", {}),
  member_agent_id: "reader",
  member_run_id
})

const eventsOf = (begun: NewRun, { parent_run_id, run_id }: Run.Output): ReadonlyArray<RunEvent.RunEvent> => {
  const common = { created_at: 1, session_id: begun.session_id, nested_depth: 0, model: "m", model_provider: "p" }
  return [
    { ...common, event: "TeamRunStarted", team_id: "desk", team_name: "desk", run_id: begun.run_id, event_index: 0 },
    {
      ...common,
      event: "RunStarted",
      agent_id: "reader",
      agent_name: "reader",
      run_id,
      ...(parent_run_id === undefined ? {} : { parent_run_id }),
      event_index: 1
    }
  ]
}

/** A team with a team in it, whose member waits for a person. */
const paused = Effect.gen(function*() {
  const runs = yield* RunStore
  const begun = newRun({ kind: "team", component_id: "desk", session_id: sessionId() })
  yield* runs.create(begun)
  const library = inside(begun)
  const reader: Run.Output = { ...inside(library), agent_id: "reader", messages: talk("read", "\u0000") }
  const requirements = [requirementOf(reader.run_id)]
  const inner: TeamRun.Output = {
    ...library,
    team_id: "library",
    requirements,
    member_responses: [AnyRun.withoutLog(reader) as Run.Output]
  }
  yield* runs.recordMembers({ ...begun, attempt: 1 }, [reader, inner])
  const { agent_id: _, agent_name: __, ...run } = ending(begun).run as Run.Output
  const output: TeamRun.Output = {
    ...run,
    team_id: "desk",
    status: "PAUSED",
    tools: [toolOf(library.run_id)],
    requirements,
    member_responses: [inner]
  }
  const events = eventsOf(begun, reader)
  const entry = { v: 1, kind: "inner", key: "team", entry: { kind: "begun", key: "0.0", run_id: library.run_id } }
  yield* runs.record({ run_id: begun.run_id, attempt: 1, position: 0, entry, events: [] })
  yield* runs.finish({ ...ending(begun), run: output, events })
  return { begun, library, reader }
})

const fork = Effect.fnUntraced(function*(source: NewRun["session_id"]) {
  const session_id = sessionId()
  const filter = { owner: Owner.anyone, component: { kind: "team" as const, id: "desk" } }
  assert.isTrue(Option.isSome(yield* RunStore.use((runs) => runs.fork({ source, session_id, filter, created_at: 5 }))))
  return session_id
})

/**
 * Checks that the runs of a copied session name each other, and gives their ids from the outermost to the innermost.
 */
const checked = Effect.fnUntraced(function*(session: NewRun["session_id"], first: NewRun["session_id"]) {
  const runs = yield* RunStore
  const listed = yield* Effect.flatMap(runs.list(session, anyone), Effect.fromOption)
  const [reader, library, desk] = listed as [Run.Output, TeamRun.Output, TeamRun.Output]
  const ids = [desk.run_id, library.run_id, reader.run_id]
  assert.deepStrictEqual(listed.map(({ parent_run_id }) => parent_run_id), [library.run_id, desk.run_id, undefined])
  assert.deepStrictEqual(new Set(listed.map(({ forked_from_session_id }) => forked_from_session_id)), new Set([first]))
  for (const run of [...listed, ...AnyRun.membersOf(desk)]) {
    assert.strictEqual(run.session_id, session)
    assert.strictEqual(
      run.run_id,
      "agent_id" in run ? reader.run_id : ids[AnyRun.componentOf(run).id === "desk" ? 0 : 1]
    )
  }
  assert.deepStrictEqual(AnyRun.membersOf(desk).map((run) => run.parent_run_id), [library.run_id, desk.run_id])
  assert.deepStrictEqual(desk.tools?.map((tool) => tool.child_run_id), [library.run_id])
  assert.deepStrictEqual(desk.requirements?.map((each) => each.member_run_id), [reader.run_id])
  assert.deepStrictEqual(library.requirements?.map((each) => each.member_run_id), [reader.run_id])
  const read = yield* runs.readEvents(session, desk.run_id, anyone, { after: -1, limit: 9 })
  assert.deepStrictEqual(
    Option.getOrThrow(read).events.map((
      event
    ) => [event.run_id, "parent_run_id" in event ? event.parent_run_id : "", event.session_id]),
    [[desk.run_id, "", session], [reader.run_id, library.run_id, session]]
  )
  const { entries } = yield* Effect.flatMap(runs.snapshot(session, desk.run_id, anyone), Effect.fromOption)
  const begun = { kind: "begun", key: "0.0", run_id: library.run_id }
  assert.deepStrictEqual(entries, [{ kind: "inner", key: "team", entry: begun }])
  return { desk, ids }
})

export const forkingTeams = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a team's runs are copied with those of its members, which name each other as before", () =>
    Effect.gen(function*() {
      const { begun, library, reader } = yield* paused
      const copy = yield* checked(yield* fork(begun.session_id), begun.session_id)
      const original = [begun.run_id, library.run_id, reader.run_id]
      assert.strictEqual(new Set([...copy.ids, ...original]).size, 6)
      assert.deepStrictEqual(copy.desk.tools?.[0]?.tool_args, { run_id: library.run_id })
    }))

  it.effect("a copy of a team's session is copied, and each goes by its own ids", () =>
    Effect.gen(function*() {
      const { begun } = yield* paused
      const one = yield* fork(begun.session_id)
      const two = yield* fork(one)
      const [first, second] = [yield* checked(one, begun.session_id), yield* checked(two, begun.session_id)]
      assert.strictEqual(new Set([...first.ids, ...second.ids]).size, 6)
    }))

  it.effect("the runs of members, which wait, are not copied without the run of their team, which is executed", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { begun: { run_id, session_id: source } } = yield* paused
      yield* runs.resume({ run_id, attempt: 1, node: "node", entry: undefined })
      const copied = yield* runs.fork({ source, session_id: sessionId(), filter: anyone, created_at: 5 })
      assert.deepStrictEqual(copied, Option.none())
    }))

  it.effect("the copy of a paused team continues, and the members of the source stay as they are", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { begun, reader } = yield* paused
      const session_id = yield* fork(begun.session_id)
      const { desk, ids: [run_id = begun.run_id, , inner = begun.run_id] } = yield* checked(
        session_id,
        begun.session_id
      )
      yield* runs.resume({ run_id, attempt: 1, node: "node", entry: undefined })
      const [library] = desk.member_responses as [TeamRun.Output]
      const [waiting] = library.member_responses as [Run.Output]
      const over = { ...waiting, status: "COMPLETED" as const }
      yield* runs.recordMembers({ run_id, attempt: 2 }, [over])
      const members = [{ ...library, member_responses: [over] }]
      const run = { ...desk, status: "COMPLETED" as const, member_responses: members }
      yield* runs.finish({ ...ending({ ...begun, run_id, session_id }), attempt: 2, run })
      const statusOf = (session: NewRun["session_id"], id: Run.Id) =>
        Effect.map(runs.find(session, id, anyone), Option.map(({ status }) => status))
      assert.deepStrictEqual(yield* statusOf(session_id, inner), Option.some("COMPLETED"))
      assert.deepStrictEqual(yield* statusOf(begun.session_id, reader.run_id), Option.some("PAUSED"))
      const found = yield* Effect.flatMap(runs.find(session_id, run_id, anyone), Effect.fromOption)
      assert.deepStrictEqual(AnyRun.membersOf(found)[0]?.run_id, inner)
    }))
}
