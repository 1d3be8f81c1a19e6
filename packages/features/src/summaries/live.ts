// What the feature does in a service that has it.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as SummaryJob from "./SummaryJob.ts"

export const live = Feature.live({
  agents: () => AgentPart.forAgent,
  jobs: (_, { sources }) => Effect.map(SummaryJob.kind(sources), (kind) => [kind])
})
