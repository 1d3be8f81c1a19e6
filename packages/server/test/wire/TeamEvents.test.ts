// The order of what a team's run says, in each mode and at each end, byte for byte from the stream: the
// team's events, and those of its members among them.
import { assert, describe, it } from "@effect/vitest"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, hasKeys, list } from "../Wire.ts"
import { answered, base, delegate, eventLines, member, modelRequest, streamed, teamOf, whole } from "./TeamStreams.ts"

Tier.oneIn(3)

describe("the events of a team", () => {
  it.effect("a team in mode route shows the member's answer as its own, and does not ask the leader again", () =>
    Effect.gen(function*() {
      const team = yield* teamOf([yield* member("reader", [[text("Read", " it.")]])], [[delegate("reader")]], {
        mode: "route"
      })
      const { all } = yield* streamed(team)
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunContent",
        "reader RunContent",
        "reader ModelRequestCompleted",
        "reader RunContentCompleted",
        "reader RunCompleted",
        "desk TeamToolCallCompleted",
        "desk TeamRunContent",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      const content = all.at(-3)?.data
      hasKeys(content, ...base, "content", "content_type", "reasoning_content")
      assert.strictEqual(at(content, "content"), "Read it.")
      assert.strictEqual(at(all.at(-1)?.data, "content"), "Read it.")
    }))

  it.effect("a team in mode broadcast asks all members by one call, each in its own order", () =>
    Effect.gen(function*() {
      const members = [yield* member("reader", [[text("A")]]), yield* member("writer", [[text("B")]])]
      const call = toolCall("delegate_task_to_members", { task: "read" }, "call_1")
      const { all } = yield* streamed(yield* teamOf(members, [[call], [text("A and B")]], { mode: "broadcast" }))
      const names = eventLines(all)
      for (const who of ["reader", "writer"]) {
        assert.deepStrictEqual(names.filter((name) => name.startsWith(who)), whole(who))
      }
      assert.deepStrictEqual(names.filter((name) => name.startsWith("desk")), [
        "desk TeamRunStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const between = names.slice(
        names.indexOf("desk TeamToolCallStarted") + 1,
        names.indexOf("desk TeamToolCallCompleted")
      )
      assert.strictEqual(between.length, 12, "all of what members say is inside of the call")
      assert.strictEqual(at(all[3]?.data, "tool", "tool_name"), "delegate_task_to_members")
    }))

  it.effect("a team in mode tasks has rounds around the leader's work, with the list after each", () =>
    Effect.gen(function*() {
      const create = (title: string) =>
        toolCall("create_task", { title, description: "Do it", member_id: "reader" }, `c_${title}`)
      const team = yield* teamOf([yield* member("reader", [[text("Read.")]])], [
        [create("a")],
        [text("Later.")],
        [toolCall("execute_task", { task_id: "task_1" }, "e")],
        [text("Done.")]
      ], { mode: "tasks" })
      const { all } = yield* streamed(team)
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        "desk TeamTaskIterationStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "desk TeamTaskCreated",
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunContent",
        "desk TeamModelRequestCompleted",
        "desk TeamTaskStateUpdated",
        "desk TeamTaskIterationCompleted",
        "desk TeamTaskIterationStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "desk TeamTaskUpdated",
        ...whole("reader"),
        "desk TeamTaskUpdated",
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunContent",
        "desk TeamModelRequestCompleted",
        "desk TeamTaskStateUpdated",
        "desk TeamTaskIterationCompleted",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      const of = (kind: string) => all.find((frame) => frame.kind === kind)?.data
      hasKeys(of("TeamTaskIterationStarted"), ...base, "iteration", "max_iterations")
      hasKeys(of("TeamTaskIterationCompleted"), ...base, "iteration", "max_iterations", "task_summary")
      hasKeys(of("TeamTaskStateUpdated"), ...base, "task_summary", "goal_complete", "tasks")
      hasKeys(
        of("TeamTaskCreated"),
        ...base,
        "task_id",
        "title",
        "description",
        "assignee",
        "status",
        "dependencies"
      )
      hasKeys(of("TeamTaskUpdated"), ...base, "task_id", "title", "status", "previous_status", "assignee")
      assert.deepStrictEqual(at(of("TeamTaskStateUpdated"), "tasks"), [{
        id: "task_1",
        title: "a",
        description: "Do it",
        status: "pending",
        assignee: "reader",
        dependencies: []
      }])
    }))

  it.effect("events of a nested team are between its call and the answer, each with the run that it is in", () =>
    Effect.gen(function*() {
      const library = yield* teamOf([yield* member("reader", [[text("Read.")]])], [[delegate("reader")], [
        text("They read.")
      ]], {
        id: "library"
      })
      const { all } = yield* streamed(yield* teamOf([library], [[delegate("library")], [text("Done.")]]))
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "library TeamRunStarted",
        ...modelRequest("library"),
        "library TeamToolCallStarted",
        ...whole("reader"),
        "library TeamToolCallCompleted",
        ...answered("library"),
        "library TeamRunCompleted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const runOf = (who: string) => {
        const own = all.filter(({ data }) => (data["agent_id"] ?? data["team_id"]) === who)
        return [...new Set(own.map(({ data }) => `${String(data["run_id"])} ${String(data["parent_run_id"] ?? "")}`))]
      }
      const [inner, reader] = [runOf("library")[0]?.split(" ")[0], runOf("reader")[0]?.split(" ")[0]]
      assert.deepStrictEqual([runOf("desk"), runOf("library"), runOf("reader")], [
        ["r "],
        [`${inner} r`],
        [`${reader} ${inner}`]
      ])
      assert.deepStrictEqual(all.map(({ id }) => id), all.map((_, index) => index))
    }))

  it.effect("a team that shows nothing of its members has only its own events", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("Read.")]])
      const { all } = yield* streamed(
        yield* teamOf([reader], [[delegate("reader")], [text("Done.")]], { streamMemberEvents: false })
      )
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...modelRequest("desk"),
        "desk TeamToolCallStarted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      assert.strictEqual(list(all.at(-1)?.data, "member_responses").length, 1)
    }))

  it.effect("a team that asked no member has no event about responses", () =>
    Effect.gen(function*() {
      const { all } = yield* streamed(yield* teamOf([yield* member("reader", [])], [[text("Hello.")]]))
      assert.deepStrictEqual(eventLines(all), ["desk TeamRunStarted", ...answered("desk"), "desk TeamRunCompleted"])
      assert.notProperty(all.at(-1)?.data, "member_responses")
    }))
})
