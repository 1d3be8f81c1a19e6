// What a team does with its members: whom it asks, what it makes of their answers, and what is kept of it.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { linesOf } from "../agent/Harness.ts"
import { delegate, eventLines, member, parentOf, run, stored, storedSession, teamOf, whoOf } from "./Harness.ts"

const tokens = usage({ input: 10, output: 5 })

describe("a team that coordinates", () => {
  it.effect("a team asks a member, and answers with its result", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("I read", " it."), tokens]], { role: "Reads" })
      const writer = yield* member("writer", [])
      const { script, team } = yield* teamOf([reader.agent, writer.agent], [
        [delegate("reader", "read"), tokens],
        [text("All", " done."), tokens]
      ])
      const { events, output, ...service } = yield* run(team)
      assert.deepStrictEqual(eventLines(events), [
        "desk TeamRunStarted",
        "desk TeamModelRequestStarted",
        "desk TeamModelRequestCompleted",
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunContent",
        "reader RunContent",
        "reader ModelRequestCompleted",
        "reader RunContentCompleted",
        "reader RunCompleted",
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunContent",
        "desk TeamRunContent",
        "desk TeamModelRequestCompleted",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
      const [response] = output.member_responses ?? []
      const ofReader = events.filter((event) => "agent_id" in event)
      assert.isTrue(ofReader.every((event) => parentOf(event) === "run" && event.run_id === response?.run_id))
      assert.isFalse(events.some((event) => "team_id" in event && "agent_id" in event))
      assert.isFalse(events.some((event) => event.event === "TeamRunContent" && "workflow_agent" in event))
      assert.deepInclude(output, { team_id: "desk", team_name: "Desk", status: "COMPLETED", content: "All done." })
      assert.deepInclude(response, { agent_id: "reader", content: "I read it.", status: "COMPLETED" })
      assert.strictEqual(response?.parent_run_id, "run" as never)
      assert.deepInclude(output.tools?.[0], { result: "I read it.", child_run_id: response?.run_id ?? null })
      assert.strictEqual(output.metrics?.total_tokens, 30, "of the leader alone")
      const last = events.at(-1)
      assert.deepStrictEqual(last?.event === "TeamRunCompleted" ? last.member_responses : [], output.member_responses)
      const rows = yield* stored(service)
      assert.deepStrictEqual(rows.map(({ run_id }) => run_id), [response?.run_id, output.run_id])
      const found = yield* storedSession(service)
      assert.strictEqual(found.session_metrics?.total_tokens, 45, "of all of them")
      const [request] = yield* script.calls
      const [system] = linesOf(request)
      assert.include(system, `<member id="reader" name="Reader">\n  Role: Reads`)
      assert.deepStrictEqual(request?.tools.map(({ name }) => name), ["delegate_task_to_member"])
      assert.deepStrictEqual(linesOf((yield* reader.script.calls)[0]).at(-1), "user: read")
    }))

  it.effect("the leader gets the error of a member that failed or is unknown, and the run continues", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [() => {
        throw new Error("broken")
      }])
      const { script, team } = yield* teamOf([reader.agent], [
        [delegate("reader", "read"), delegate("unknown", "read")],
        [text("Sorry")]
      ])
      const { output } = yield* run(team)
      assert.deepInclude(output, { status: "COMPLETED", content: "Sorry" })
      assert.deepStrictEqual(output.tools?.map(({ tool_call_error }) => tool_call_error), [true, true])
      assert.include(linesOf((yield* script.calls)[1]).at(-1), "There is no member 'unknown'. Members: reader")
      assert.deepStrictEqual(output.member_responses?.map(({ status }) => status), ["ERROR"])
    }))

  it.effect("a team shows nothing of its members when it is configured so, and keeps their runs", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("I read it.")]])
      const { team } = yield* teamOf([reader.agent], [[delegate("reader", "read")], [text("Done")]], {
        streamMemberEvents: false
      })
      const { events, output } = yield* run(team)
      assert.isTrue(events.every((event) => "team_id" in event))
      assert.strictEqual(output.member_responses?.length, 1)
    }))

  it.effect("a team shares the state of the session with its members", () =>
    Effect.gen(function*() {
      const note = (key: string) =>
        Tool.make({
          name: "note",
          execute: (_, { sessionState }) => (sessionState[key] = sessionState["start"] ?? "none")
        })
      const one = yield* member("one", [[toolCall("note")], [text("1")]], { tools: [note("one")] })
      const two = yield* member("two", [[toolCall("note")], [text("2")]], { tools: [note("two")] })
      const { team } = yield* teamOf([one.agent, two.agent], [[delegate("one", "a"), delegate("two", "b")], [
        text("Done")
      ]])
      const { output, ...service } = yield* run(team, { session_state: { start: "here" } })
      const expected = { start: "here", one: "here", two: "here" }
      assert.deepStrictEqual(output.session_state, expected)
      const found = yield* storedSession(service)
      assert.deepStrictEqual(found.session_state, expected)
    }))
})

describe("a team that routes", () => {
  it.effect("a team that routes answers with the member's answer, and does not ask its leader again", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("I read it.")]])
      const { script, team } = yield* teamOf([reader.agent], [[delegate("reader", "read")]], { mode: "route" })
      const { events, output } = yield* run(team)
      assert.strictEqual(output.content, "I read it.")
      assert.deepStrictEqual(eventLines(events).slice(-3), [
        "desk TeamRunContent",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      assert.strictEqual(yield* script.remaining, 0)
    }))
})

describe("a team that broadcasts", () => {
  it.effect("a team that broadcasts asks all of its members at once", () =>
    Effect.gen(function*() {
      const one = yield* member("one", [[text("1")]])
      const two = yield* member("two", [[text("2")]])
      const { script, team } = yield* teamOf([one.agent, two.agent], [
        [toolCall("delegate_task_to_members", { task: "count" })],
        [text("3")]
      ], { mode: "broadcast" })
      const { output } = yield* run(team)
      assert.strictEqual(output.content, "3")
      assert.deepStrictEqual(output.member_responses?.map(({ content }) => content), ["1", "2"])
      assert.strictEqual(linesOf((yield* script.calls)[1]).at(-1), "tool: result One (one):\n1\n\nTwo (two):\n2")
    }))
})

describe("a team in a team", () => {
  it.effect("a nested team is asked like any member, and its members' runs are below its own", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("I read it.")]])
      const inner = yield* teamOf([reader.agent], [[delegate("reader", "read")], [text("They read it.")]], {
        id: "library",
        name: "Library"
      })
      const { team } = yield* teamOf([inner.team], [[delegate("library", "find")], [text("Found.")]])
      const { events, output, ...service } = yield* run(team)
      const [library] = output.member_responses ?? []
      assert.deepInclude(library, { team_id: "library", content: "They read it." })
      assert.strictEqual(library?.parent_run_id, "run" as never)
      const [read] = library !== undefined && "team_id" in library ? library.member_responses ?? [] : []
      assert.deepInclude(read, { agent_id: "reader" })
      assert.strictEqual(read?.parent_run_id, library?.run_id)
      assert.deepStrictEqual((yield* stored(service)).map(({ run_id }) => run_id), [
        read?.run_id,
        library?.run_id,
        output.run_id
      ])
      const parents = new Map(events.map((event) => [whoOf(event), parentOf(event)]))
      assert.deepStrictEqual([...parents], [
        ["desk", undefined],
        ["library", output.run_id],
        ["reader", library?.run_id]
      ])
    }))
})

describe("a team that could never work is refused when it is made", () => {
  const reader = Agent.make({ id: "reader" })
  const refused = (make: () => Team.Team, message: string) => it(message, () => assert.throws(make, message))

  refused(
    () => Team.make({ id: "desk", members: [] }),
    "Team 'desk' has no members. Give it at least one agent or team"
  )
  refused(
    () => Team.make({ id: "desk", members: [reader, reader] }),
    "Team 'desk' has two members with the id 'reader': desk > reader"
  )
  refused(() => {
    const desk = Team.make({ id: "desk", members: [reader] })
    const office = Team.make({ id: "office", members: [desk] })
    return Team.make({ id: "desk", members: [office] })
  }, "Team 'desk' is a member of itself: desk > office > desk. Give one of the two another id")
  refused(() => Team.make({ id: "a b", members: [reader] }), "Team id 'a b' is not usable in a url")
  refused(
    () => Team.make({ id: "desk", members: [reader], maxIterations: 0 }),
    "Team 'desk': maxIterations must be a whole number of at least 1, not 0"
  )
})
