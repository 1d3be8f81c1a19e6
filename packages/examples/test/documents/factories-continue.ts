// The block of docs/guides/factories.md that makes an agent again for a run that a caller continues.
// #region
import { Agent, AgentFactory } from "@svc-runtime/server"
import { z } from "zod"

export const support = AgentFactory.make({
  id: "support",
  inputSchema: z.object({ tenant: z.string() }),
  continueInput: "stored",
  build: ({ id, input }) => Agent.make({ id, instructions: `You help the customers of ${input?.tenant}.` })
})
// #endregion
