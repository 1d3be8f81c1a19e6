// #region
import { Agent, DatabaseHandle, serve } from "@svc-runtime/server"

// postgres://user:password@host:port/database
const north = DatabaseHandle.postgres({ id: "north-db", url: process.env.NORTH_URL ?? "" })

serve({ agents: [Agent.make({ id: "north", db: north }), Agent.make({ id: "front" })] })
// #endregion
