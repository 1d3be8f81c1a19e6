// # Run an agent in a script, without a server
// Agents
//
// An agent runs in any program. With `DATA_DIR` or `DATABASE_URL` its runs and sessions are stored, and a server that
// has the same database shows them.
//
// Try:
//   npm run node -- packages/examples/src/recipes/script.ts
//
// Change: `stream` gives the events. `Local.configure({ dataDir: "data" })` sets the place in code.
import { Agent, Local } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant", instructions: "Be brief." })

const run = await assistant.run({ message: "What is 17 times 23?", session_id: "first" })
console.log(run.status, run.text)

const svc = await Local.client()
const runs = await svc.agent("assistant").list("first")
console.log(`Runs in this session: ${runs.length}`)
