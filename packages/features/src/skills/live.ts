// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import { Skills } from "./SkillsHandlers.ts"
import * as SqlSkillStore from "./SqlSkillStore.ts"

export const live = Feature.live({
  handlers: Skills,
  stores: SqlSkillStore.layer,
  agents: () => AgentPart.forAgent
})
