// The block of docs/agents.md about tools.
import { Tool } from "@svc/server"
import { z } from "zod"

// #region
const transfer = Tool.make({
  name: "transfer",
  description: "Moves money between two accounts",
  parameters: z.object({ from: z.string(), to: z.string(), amount: z.number().positive() }),
  timeout: "30 seconds",
  execute: async ({ amount, from, to }, { userId, sessionState, signal }) => {/* … */}
})
// #endregion

export { transfer }
