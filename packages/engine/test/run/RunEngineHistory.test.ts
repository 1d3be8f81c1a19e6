import { assert, describe, it } from "@effect/vitest"
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import type { AgentCommand } from "@svc-runtime/agents/agent/execute/AgentCommand"
import * as Run from "@svc-runtime/domain/Run"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { linesOf, rolesOf } from "../../../agents/test/agent/Harness.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted } from "./Engine.ts"

/** Runs in one session, one after the other: what each says, and what the model was shown. */
const talk = Effect.fnUntraced(function*(
  options: Partial<Agent.Options>,
  turns: ReadonlyArray<Script.Turn>,
  inputs: ReadonlyArray<string | [string, Partial<AgentCommand>]>
) {
  const { engine, find } = yield* open()
  const { command, script } = yield* scripted(turns, options)
  for (const [index, input] of inputs.entries()) {
    const [input_content, more] = typeof input === "string" ? [input, {}] : input
    const run_id = Run.Id.make(`run-${index}`)
    yield* (yield* engine.start(command({ run_id, input: { input_content }, ...more }))).output
  }
  const shown = (yield* script.calls).map(linesOf)
  return { shown, last: shown.at(-1), stored: yield* find(`run-${inputs.length - 1}`) }
})

const answers = (...texts: ReadonlyArray<string>) => texts.map((one) => [text(one)])

describe("history", () => {
  it.effect("history is not shown to the model unless the agent is configured so", () =>
    Effect.gen(function*() {
      const { last } = yield* talk({}, answers("1", "2"), ["a", "b"])
      assert.deepStrictEqual(last, ["user: b"])
    }))

  it.effect("history comes between the system message and the input, in its order, without earlier system messages", () =>
    Effect.gen(function*() {
      const { last } = yield* talk(
        { addHistoryToContext: true, instructions: ({ runId }) => `This is ${runId}.` },
        answers("1", "2", "3"),
        ["a", "b", "c"]
      )
      assert.deepStrictEqual(last, [
        "system: This is run-2.",
        "user: a",
        "assistant: 1",
        "user: b",
        "assistant: 2",
        "user: c"
      ])
    }))

  it.effect("history has no earlier developer messages", () =>
    Effect.gen(function*() {
      const { last } = yield* talk(
        { addHistoryToContext: true, systemMessageRole: "developer", description: "You talk." },
        answers("1", "2"),
        ["a", "b"]
      )
      assert.deepStrictEqual(last, ["system: You talk.", "user: a", "assistant: 1", "user: b"])
    }))

  it.effect("history is that of the last numHistoryRuns runs", () =>
    Effect.gen(function*() {
      const { shown } = yield* talk(
        { addHistoryToContext: true, numHistoryRuns: 2 },
        answers("1", "2", "3", "4"),
        ["a", "b", "c", "d"]
      )
      assert.deepStrictEqual(shown[3], ["user: b", "assistant: 2", "user: c", "assistant: 3", "user: d"])
    }))

  it.effect("the default is a history of three runs, and a setting of none has none", () =>
    Effect.gen(function*() {
      const inputs = ["a", "b", "c", "d", "e"]
      const three = yield* talk({ addHistoryToContext: true }, answers(...inputs), inputs)
      assert.strictEqual(three.last?.length, 7)
      const none = yield* talk({ addHistoryToContext: true, numHistoryRuns: 0 }, answers("1", "2"), ["a", "b"])
      assert.deepStrictEqual(none.last, ["user: b"])
    }))

  it.effect("history has the tool calls with their results", () =>
    Effect.gen(function*() {
      const add = Tool.make({ name: "add", execute: () => 3 })
      const { last } = yield* talk(
        { addHistoryToContext: true, tools: [add] },
        [[text("I add."), toolCall("add", { a: 1 }), toolCall("add", { a: 2 })], [text("3")], [text("Yes")]],
        ["a", "b"]
      )
      assert.deepStrictEqual(last, [
        "user: a",
        `assistant: I add. | call add {"a":1} | call add {"a":2}`,
        "tool: result 3",
        "tool: result 3",
        "assistant: 3",
        "user: b"
      ])
    }))

  it.effect("history has failed runs with the line that says so, unless their agent leaves them out", () =>
    Effect.gen(function*() {
      const turns = [[text("So "), text("far"), Script.fail()], [text("2")]]
      const { last } = yield* talk({ addHistoryToContext: true }, turns, ["a", "b"])
      const note = "(This turn failed here, before it was finished.)"
      assert.deepStrictEqual(last, ["user: a", `assistant: So far\n\n${note}`, "user: b"])
      const without = yield* talk({ addHistoryToContext: true, historyOfFailedRuns: "none" }, turns, ["a", "b"])
      assert.deepStrictEqual(without.last, ["user: b"])
    }))

  it.effect("a run can request history or refuse it", () =>
    Effect.gen(function*() {
      const requested = yield* talk({}, answers("1", "2"), ["a", ["b", { add_history_to_context: true }]])
      assert.strictEqual(requested.last?.length, 3)
      const refused = yield* talk({ addHistoryToContext: true }, answers("1", "2"), [
        "a",
        ["b", { add_history_to_context: false }]
      ])
      assert.deepStrictEqual(refused.last, ["user: b"])
    }))

  it.effect("history is not stored again with the run that it was shown to", () =>
    Effect.gen(function*() {
      const { stored } = yield* talk(
        { addHistoryToContext: true, description: "You talk." },
        answers("1", "2", "3"),
        ["a", "b", "c"]
      )
      assert.deepStrictEqual(rolesOf({ output: stored } as never), ["system", "user", "assistant"])
      assert.isTrue(stored.messages?.every(({ from_history }) => !from_history))
    }))
})
