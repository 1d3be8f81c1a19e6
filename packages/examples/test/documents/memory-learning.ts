// The block of docs/guides/memory.md about agents that learn.
// #region
import { Agent, serve, Team } from "@svc-runtime/server"

const learning = { types: ["learned_knowledge", "entity_memory"], namespace: "desk" } as const

const helper = Agent.make({ id: "helper", learning })
const desk = Team.make({ id: "desk", members: [helper], learning })

serve({ agents: [helper], teams: [desk] })
// #endregion
