// A service whose tool does something that nothing awaits, and that fails.
import { Agent, serve, Tool } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"

const forgets = Tool.make({
  name: "forgets",
  effects: "read",
  parameters: { type: "object" },
  execute: () => {
    void Promise.reject(new Error("The ledger is closed"))
    return "done"
  }
})

const { model } = await Effect.runPromise(Script.make([
  [Script.toolCall("forgets", {}, "call")],
  [Script.text("It is done.")]
]))

serve({ agents: [Agent.make({ id: "assistant", model, tools: [forgets] })] })
