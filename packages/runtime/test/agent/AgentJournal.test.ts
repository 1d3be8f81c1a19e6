// The session state in the entries of an agent's journal.
import { assert, describe, it } from "@effect/vitest"
import * as ToolExecution from "@svc/domain/ToolExecution"
import { Effect } from "effect"
import * as AgentJournal from "../../src/agent/AgentJournal.ts"

const answered = {
  kind: "answered",
  call: 0,
  message: { id: "m", role: "tool", from_history: false, stop_after_tool_call: false, created_at: 1 },
  tool: ToolExecution.requested({ tool_call_id: "c", tool_name: "t", tool_args: {}, created_at: 1 }),
  is_last: false
}

const changeIn = (more: object) =>
  Effect.map(AgentJournal.decode([{ ...answered, ...more }]), ([entry]) => AgentJournal.stateChangeOf(entry!))

describe("an entry of an agent's journal", () => {
  it.effect("a journal entry has the changes of the session state", () =>
    Effect.gen(function*() {
      const state = { set: { a: 1 }, removed: ["b"] }
      assert.deepStrictEqual(yield* changeIn({ state }), state)
      assert.isUndefined(yield* changeIn({}))
    }))
})
