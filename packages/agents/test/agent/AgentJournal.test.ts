// The session state in the entries of an agent's journal.
import { assert, describe, it } from "@effect/vitest"
import * as Json from "@svc-runtime/domain/Json"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import * as AgentJournal from "../../src/agent/execute/AgentJournal.ts"
import { type Given, linesOf, run } from "./Harness.ts"

const answered = {
  kind: "answered",
  call: 0,
  message: { id: "m", role: "tool", from_history: false, stop_after_tool_call: false, created_at: 1 },
  tool: ToolExecution.requested({ tool_call_id: "c", tool_name: "t", tool_args: {}, created_at: 1 }),
  is_last: false
}

const changeIn = (more: object) =>
  Effect.map(AgentJournal.decode([{ ...answered, ...more }]), ([entry]) => AgentJournal.stateChangeOf(entry!))

const knowing = (text: string): Given => ({
  contextSources: [{ name: "notes", tokens: 100, section: () => Effect.succeed(text) }]
})

describe("an entry of an agent's journal", () => {
  it.effect("a journal entry has the changes of the session state", () =>
    Effect.gen(function*() {
      const state = { set: { a: 1 }, removed: ["b"] }
      assert.deepStrictEqual(yield* changeIn({ state }), state)
      assert.isUndefined(yield* changeIn({}))
    }))

  it.effect("a repetition that an earlier version has stored has the values of its form, which the model does not read", () =>
    Effect.gen(function*() {
      const called: Array<unknown> = []
      const tool = Tool.make({
        name: "order",
        parameters: Schema.Struct({ address: Schema.String }),
        requiresUserInput: ["address"],
        execute: (args) => (called.push(args), "ordered")
      })
      const turns = [[Script.toolCall("order", {}, "1")], [Script.text("Done.")]]
      const { journal } = yield* run({ tools: [tool] }, turns)
      const tool_args = { address: "SECRET" }
      const resolved = { kind: "resolved", marks_begun: true, requirements: [] }
      const user_input_schema = [{ name: "address", field_type: "str", description: null, value: "SECRET" }]
      const journaled = [
        ...journal,
        { ...resolved, attempt: 2, decisions: [{ call: 0, tool_args, user_input_schema }] },
        { ...resolved, attempt: 2, decisions: [], begun: [0] },
        { ...resolved, attempt: 3, decisions: [{ call: 0, confirmed: true, tool_args }] }
      ]
      const ran = yield* run({ tools: [tool] }, turns.slice(1), { journaled, attempt: 3 })
      assert.deepStrictEqual([ran.output.status, called], ["COMPLETED", [tool_args]])
      assert.deepStrictEqual(ran.output.tools?.map(({ tool_args, result }) => [tool_args, result]), [[
        tool_args,
        "ordered"
      ]])
      assert.notInclude(JSON.stringify(ran.calls.map(({ prompt }) => prompt)), "SECRET")
    }))

  it.effect("a call is of the tool source that it was asked of, and in a journal of an earlier version of any", () =>
    Effect.gen(function*() {
      const tool = (name: string) =>
        Tool.make({ name: "look", parameters: Schema.Struct({}), effects: "read", execute: () => `seen by ${name}` })
      const source = (name: string): ToolSource => ({
        _tag: "ToolSource",
        name,
        open: Effect.succeed({ tools: [tool(name)], problem: undefined }),
        last: () => undefined
      })
      const turns = [[Script.toolCall("look", {}, "1")], [Script.text("Done.")]]
      const { journal: [turn] } = yield* run({ tools: [source("A"), source("B")] }, turns)
      const [call] = turn?.["calls"] as ReadonlyArray<Json.Object>
      assert.deepStrictEqual(call?.["offered_by"], { source: "A" })
      const resumed = (calls: ReadonlyArray<object>) =>
        Effect.map(
          run({ tools: [source("B")] }, turns.slice(1), { journaled: [{ ...turn, calls: Json.of(calls) }] }),
          ({ output }) => output.tools?.map(({ outcome_unknown, result }) => outcome_unknown ?? result)
        )
      // a person says what has happened
      assert.deepStrictEqual(yield* resumed([{ ...call }]), [true])
      const { offered_by: _, ...earlier } = call ?? {}
      assert.deepStrictEqual(yield* resumed([earlier]), ["seen by B"])
    }))

  it.effect("a name of a tool source that is too long for journals is a mistake", () =>
    Effect.sync(() => {
      const source = (name: string): ToolSource => ({
        _tag: "ToolSource",
        name,
        open: Effect.succeed({ tools: [], problem: undefined }),
        last: () => undefined
      })
      const make = (length: number) => () => Agent.make({ id: "a", tools: [source("n".repeat(length))] })
      assert.doesNotThrow(make(200))
      assert.throws(make(201), "Agent 'a' has a tool source whose name has more than 200 characters")
    }))

  it.effect("a run that is resumed is shown what its context sources have then, and nothing stores it", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", parameters: Schema.Struct({}), execute: () => "seen" })
      const options = { instructions: "Be brief.", tools: [look], reasoning: true }
      const thinker = yield* Script.make([[Script.text("No step")]])
      const turns = [[Script.toolCall("look", {}, "1")], [Script.text("Done.")]]
      const first = yield* run(options, turns, { ...knowing("Likes tea"), thinker })
      assert.deepStrictEqual(linesOf(first.calls[0]), ["system: Be brief.\n\nLikes tea", "user: Hi"])
      const [thought] = yield* thinker.calls
      assert.include(linesOf(thought)[0], "Likes tea")
      const resumed = yield* run(options, turns.slice(1), { ...knowing("Likes milk"), journaled: first.journal })
      const shown = linesOf(resumed.calls[0])
      assert.strictEqual(shown[0], "system: Be brief.\n\nLikes milk")
      assert.include(shown.at(-1), "seen")
      const stored = [first.journal, first.output, first.events, resumed.journal, resumed.output]
      assert.notInclude(JSON.stringify(stored), "Likes")
      assert.deepStrictEqual(resumed.output.messages?.map(({ content }) => content)[0], "Be brief.")
    }))
})
