import { Agent, AgentFactory, FactoryPermissionError } from "@svc-runtime/server"
import { z } from "zod"

export const support = AgentFactory.make({
  id: "support",
  inputSchema: z.object({ tenant: z.string() }),
  timeout: "5 seconds",
  build: ({ id, input, trusted }) => {
    // a run that a caller continues has no input, unless `continueInput` is "stored"
    const tenant = input?.tenant ?? trusted.claims["tenant"]
    if (trusted.claims["tenant"] !== tenant) {
      throw new FactoryPermissionError({ message: "This token belongs to another tenant" })
    }
    return Agent.make({ id, instructions: `You help the customers of ${tenant}.` })
  }
})
