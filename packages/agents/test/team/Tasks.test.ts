// A team in mode `tasks`: its list, the rounds that its leader takes over it, and what of both is there after a crash.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { open, session } from "../../../engine/test/run/Engine.ts"
import { linesOf } from "../agent/Harness.ts"
import { askTeam, eventLines, member, run, teamOf } from "./Harness.ts"

const create = (title: string, more: object = {}) =>
  toolCall("create_task", { title, description: `Do ${title}`, ...more })
const tasks = { mode: "tasks" as const }

const of = <K extends RunEvent.Kind>(events: ReadonlyArray<RunEvent.RunEvent>, kind: K) =>
  events.filter((event): event is Extract<RunEvent.RunEvent, { readonly event: K }> => event.event === kind)

describe("a team that keeps a list of tasks", () => {
  it.effect("members do the tasks in the order of their dependencies, and each change has an event", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("Tea is a leaf.")]])
      const writer = yield* member("writer", [[text("An ode to tea.")]])
      const { script, team } = yield* teamOf([reader.agent, writer.agent], [
        [create("read", { member_id: "reader" })],
        [create("write", { member_id: "writer", depends_on: ["task_1"] })],
        [toolCall("execute_task", { task_id: "task_2" })],
        [toolCall("execute_task", { task_id: "task_1" })],
        [toolCall("execute_task", { task_id: "task_2" })],
        [text("Here is the ode.")]
      ], tasks)
      const { events, output } = yield* run(team)
      assert.deepInclude(output, { status: "COMPLETED", content: "Here is the ode." })
      assert.deepStrictEqual(eventLines(events).filter((each) => each.includes("TeamTask")).slice(0, 3), [
        "desk TeamTaskIterationStarted",
        "desk TeamTaskCreated",
        "desk TeamTaskCreated"
      ])
      assert.deepStrictEqual(of(events, "TeamTaskCreated").map(({ status, task_id }) => [task_id, status]), [
        ["task_1", "pending"],
        ["task_2", "blocked"]
      ])
      assert.deepStrictEqual(
        of(events, "TeamTaskUpdated").map(({ previous_status, status, task_id }) => [task_id, previous_status, status]),
        [
          ["task_1", "pending", "in_progress"],
          ["task_1", "in_progress", "completed"],
          ["task_2", "blocked", "pending"],
          ["task_2", "pending", "in_progress"],
          ["task_2", "in_progress", "completed"]
        ]
      )
      assert.deepStrictEqual(eventLines(events).slice(-4), [
        "desk TeamTaskStateUpdated",
        "desk TeamTaskIterationCompleted",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      const [state] = of(events, "TeamTaskStateUpdated")
      assert.deepInclude(state, { goal_complete: true, task_summary: "2 of 2 tasks are completed" })
      assert.include(linesOf((yield* script.calls)[3]).at(-1), "task_2 waits for task_1")
      assert.include(linesOf((yield* writer.script.calls)[0]).at(-1), "Tea is a leaf.", "with what is known by then")
    }))

  it.effect("the leader is asked again as long as a task is left, up to a limit", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [])
      const { script, team } = yield* teamOf([reader.agent], [
        [create("read")],
        [text("Enough.")],
        [text("Really.")]
      ], { ...tasks, maxIterations: 2 })
      const { events, output } = yield* run(team)
      assert.strictEqual(output.content, "Really.")
      assert.deepStrictEqual(of(events, "TeamTaskIterationStarted").map(({ iteration }) => iteration), [1, 2])
      assert.deepStrictEqual(of(events, "TeamTaskStateUpdated").map(({ goal_complete }) => goal_complete), [
        false,
        false
      ])
      const lines = linesOf((yield* script.calls)[2])
      assert.strictEqual(lines.at(-2), "assistant: Enough.")
      assert.include(lines.at(-1), "user: 0 of 1 tasks are completed")
      assert.deepStrictEqual(output.messages?.map(({ role }) => role), [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant"
      ])
    }))

  it.effect("several tasks are done at once, and the team ends when its leader says so", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("One.")], [text("Two.")]])
      const { script, team } = yield* teamOf([reader.agent], [
        [create("a", { member_id: "reader" }), create("b", { member_id: "reader" }), create("c")],
        [toolCall("execute_tasks_parallel", { task_ids: ["task_1", "task_2"] })],
        [toolCall("mark_all_complete", { summary: "Two are enough" })],
        [text("Done.")]
      ], tasks)
      const { events, output } = yield* run(team)
      assert.strictEqual(output.content, "Done.")
      assert.strictEqual(yield* script.remaining, 0)
      assert.strictEqual(output.member_responses?.length, 2)
      assert.deepInclude(of(events, "TeamTaskStateUpdated")[0], {
        goal_complete: true,
        completion_summary: "Two are enough",
        task_summary: "2 of 3 tasks are completed"
      })
    }))

  it.effect("the list of tasks is the same after the service has stopped in between", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const reader = yield* member("reader", [
        [Script.wait(Deferred.succeed(begun, undefined)), Script.hang],
        [text("Read.")]
      ])
      const { team } = yield* teamOf([reader.agent], [
        [create("read", { member_id: "reader" })],
        [text("Wait.")],
        [toolCall("execute_task", { task_id: "task_1" })],
        [text("Done.")]
      ], tasks)
      const before = yield* open({ teams: [team], drainTimeout: 0 })
      yield* before.engine.start(askTeam(team))
      yield* Deferred.await(begun)
      yield* before.close
      const after = yield* open({ memory: before.memory, teams: [team] })
      yield* after.engine.recover
      const request = { run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone } }
      yield* Effect.flatMap(after.engine.output(request), Effect.fromOption)
      const output = (yield* after.find()) as TeamRun.Output
      assert.deepInclude(output, { status: "COMPLETED", content: "Done." })
      const all = output.events as unknown as ReadonlyArray<RunEvent.RunEvent>
      assert.deepStrictEqual(of(all, "TeamTaskIterationStarted").map(({ iteration }) => iteration), [1, 2])
      assert.deepStrictEqual(of(all, "TeamTaskCreated").length, 1)
      assert.deepInclude(of(all, "TeamTaskStateUpdated").at(-1), { goal_complete: true })
    }))
})
