// What features add to agents and teams, in the order of their tools.
import { AgentParts } from "@svc-runtime/agents/agent/execute/RunPart"
import { Effect, Layer } from "effect"
import * as Knowledge from "./knowledge/agentPart.ts"
import * as Learning from "./learning/agentPart.ts"
import * as Memory from "./memory/agentPart.ts"
import * as Summaries from "./summaries/agentPart.ts"

// their options are known where this list is imported
export { Knowledge, Learning, Memory, Summaries }

export const parts = [Memory.part, Summaries.part, Learning.part, Knowledge.part]

/** The parts with the stores of a database. */
export const layer = Layer.effect(
  AgentParts,
  Effect.all([Memory.served, Summaries.served, Learning.served, Knowledge.served])
)
