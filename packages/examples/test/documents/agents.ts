// The blocks of docs/agents.md.
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

// #region
import { Hook } from "@svc/server"

const onTopic: Hook.Hook = {
  name: "on-topic",
  run: ({ input }) => {
    if (String(input.input_content).includes("lottery")) {
      throw new Hook.CheckFailed({ reason: "off_topic", message: "Questions about the lottery are not answered" })
    }
  }
}
// #endregion

export { onTopic, transfer }
