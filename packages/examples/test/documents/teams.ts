import type { AnyTool } from "./types.ts"

declare const archive: AnyTool

// #region
import { Agent, serve, Team } from "@svc-runtime/server"

const reader = Agent.make({ id: "reader", name: "Reader", role: "Finds out what is known", tools: [archive] })
const writer = Agent.make({ id: "writer", name: "Writer", role: "Writes from facts" })

const desk = Team.make({ id: "desk", name: "Desk", members: [reader, writer], instructions: "Be brief." })

serve({ agents: [], teams: [desk] })
// #endregion
