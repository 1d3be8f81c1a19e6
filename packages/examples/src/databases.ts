// A database for each customer: the sessions, runs and approvals of an agent are stored in the database that it
// declares, everything else in the service's own. A database that is away harms only the agents that declare it.
//
//   curl -s http://127.0.0.1:7777/agents/north/runs -F stream=false -F message='Hello'
//   curl -s 'http://127.0.0.1:7777/sessions?db_id=north-db'
import { Agent, AgentFactory, DatabaseHandle, serve } from "@svc-runtime/server"
import { z } from "zod"

/** On a server it would be DatabaseHandle.postgres({ id: "north-db", url: "postgres://user:password@host/north" }). */
export const north = DatabaseHandle.embedded({ id: "north-db", dataDir: "memory" })
export const south = DatabaseHandle.embedded({ id: "south-db", dataDir: "memory" })

export const northDesk = Agent.make({ id: "north", instructions: "You work for the north branch.", db: north })

/** Stores runs in the north, unless the request is about the south. */
export const anyDesk = AgentFactory.make({
  id: "desk",
  db: north,
  inputSchema: z.object({ branch: z.enum(["north", "south"]) }),
  build: ({ id, input }) => Agent.make({ id, db: input?.branch === "south" ? south : undefined })
})

export const frontDesk = Agent.make({ id: "front", instructions: "You greet everybody." })

// only a component of the factory declares the south, so the service has to know it
export const options = { agents: [northDesk, anyDesk, frontDesk], databases: [south] }

if (import.meta.main) serve(options)
