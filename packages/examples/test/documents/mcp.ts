// The code of docs/guides/mcp.md.
import { Agent, McpServerTool, serve } from "@svc-runtime/server"
import { Schema } from "effect"

const agents = [Agent.make({ id: "assistant" })]
const balanceOf = async (user: string | undefined) => user === undefined ? 0 : 100

// #region
const balance = McpServerTool.make({
  name: "balance",
  description: "Reads the balance of an account of the user",
  // user_id is filled with the user of the caller, and callers do not see it
  parameters: Schema.Struct({ account: Schema.String, user_id: Schema.optionalKey(Schema.String) }),
  scope: "accounts:read",
  readOnly: true,
  execute: async ({ account, user_id }) => ({ account, cents: await balanceOf(user_id) })
})

serve({
  agents,
  mcp: {
    tools: [balance],
    excludeTags: ["session"],
    resultMode: "full",
    authorize: (userId) => userId !== undefined
  }
})
// #endregion
