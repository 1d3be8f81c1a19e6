// # A database of its own for an agent
// Operation
//
// The sessions, runs and approvals of the agent are stored in the database that it declares. The service creates and
// migrates its tables.
//
// Try:
//   npm run node -- packages/examples/src/recipes/database.ts
//   svc run north "Hello"
//   curl -s 'localhost:7777/sessions?db_id=north-db'
//
// Change: `DatabaseHandle.postgres({ id, url })` is a database on a server, which several nodes share.
import { Agent, DatabaseHandle, serve } from "@svc-runtime/server"

const db = DatabaseHandle.embedded({ id: "north-db", dataDir: "memory" })

export const application = { agents: [Agent.make({ id: "north", db }), Agent.make({ id: "assistant" })] }

if (import.meta.main) serve(application)
