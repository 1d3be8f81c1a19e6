// What the feature does in a service that has it.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as LearningJob from "./LearningJob.ts"
import { Learnings } from "./LearningsHandlers.ts"
import * as SqlLearningStore from "./SqlLearningStore.ts"

export const live = Feature.live({
  handlers: Learnings,
  agents: () => AgentPart.forAgent,
  jobs: (_, { sources }) => Effect.map(LearningJob.kind(sources), (kind) => [kind]),
  stores: SqlLearningStore.layer
})
