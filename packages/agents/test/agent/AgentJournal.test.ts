// The session state in the entries of an agent's journal.
import { assert, describe, it } from "@effect/vitest"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Tool from "@svc-runtime/engine/tool/Tool"
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
