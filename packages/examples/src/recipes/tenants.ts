// # An agent for each tenant
// Safety and limits
//
// A factory makes the agent for each request, from the caller and the input of the request. It can refuse a caller, and
// give each tenant its own instructions, tools and model.
//
// Try:
//   npm run node -- packages/examples/src/recipes/tenants.ts
//   curl -s localhost:7777/agents/support/runs -F message=Hi -F 'factory_input={"tenant": "acme"}' -F stream=false
//
// Change: `trusted.claims` has the claims of the token. Prefer them to `input`, which the caller chooses.
import { Agent, AgentFactory, FactoryPermissionError, serve } from "@svc-runtime/server"
import { z } from "zod"

const products: Readonly<Record<string, string>> = { acme: "anvils", "tea-house": "tea" }

const support = AgentFactory.make({
  id: "support",
  inputSchema: z.object({ tenant: z.string() }),
  build: ({ id, input }) => {
    const sold = products[input?.tenant ?? ""]
    if (sold === undefined) throw new FactoryPermissionError({ message: "This tenant has no support" })
    return Agent.make({ id, instructions: `You help customers who bought ${sold}.` })
  }
})

export const application = { agents: [support] }

if (import.meta.main) serve(application)
