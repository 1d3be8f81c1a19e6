// # Let an agent compute with commands
// Agents
//
// The agent keeps files in the session, and executes commands on them, isolated from the machine and without a network.
// Callers store files in the session, and get the results.
//
// Try:
//   apt-get install bubblewrap
//   npm run node -- packages/examples/src/recipes/commands.ts
//   svc run analyst --session orders "Write the orders 7,50 and 8,20 to orders.csv, and their sum to sum.txt"
//   curl http://127.0.0.1:7777/sessions/orders/workspace/sum.txt
//
// Change: `requiresConfirmation: true` asks a person before each command, and `sandbox: "none"` gives the agent files
// without commands.
import { Agent, Sandbox, serve, Workspace } from "@svc-runtime/server"

const analyst = Agent.make({
  id: "analyst",
  instructions: "Compute with commands, such as awk. Keep your results in files.",
  workspace: Workspace.make({
    sandbox: Sandbox.local({ memoryBytes: 256 * 1024 ** 2 }),
    maxBytes: 10_000_000,
    commandTimeout: "20 seconds"
  })
})

export const application = { agents: [analyst] }

if (import.meta.main) serve(application)
