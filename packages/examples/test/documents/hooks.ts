// The block of docs/guides/hooks.md about hooks that change things.
// #region
import { Agent, Hook, serve } from "@svc-runtime/server"

const houseRules: Hook.RunHook = {
  name: "house-rules",
  beforeRun: ({ input }) => {
    if (String(input.input_content).trim() === "") return Hook.answer("How can I help?", "empty input")
  },
  beforeTool: ({ args, tool }) => {
    if (tool === "transfer" && Number(Object(args)["amount"]) > 1000) {
      throw new Hook.CheckFailed({
        reason: "input_not_allowed",
        message: "Transfers of more than 1000 are not made here"
      })
    }
  },
  afterTool: ({ result }) => result.length > 5000 ? Hook.change(result.slice(0, 5000), "long result") : undefined,
  afterRun: ({ content }) => Hook.change(`${String(content)}\n\nThis is no advice.`)
}

serve({ agents: [Agent.make({ id: "clerk", hooks: [houseRules] })] })
// #endregion
