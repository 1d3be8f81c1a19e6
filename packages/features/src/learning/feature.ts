// What agents learn from runs.
import { Effect } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import * as LearningJob from "./LearningJob.ts"
import { Learnings as LearningsEndpoints } from "./LearningsApi.ts"
import { Learnings } from "./LearningsHandlers.ts"
import { LearningStore } from "./LearningStore.ts"
import { learning as migrations } from "./migrations.ts"
import * as SqlLearningStore from "./SqlLearningStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly learnings: typeof LearningStore
  }
}

export const learning = Feature.make({
  name: "learning",
  groups: [LearningsEndpoints],
  handlers: Learnings,
  agents: () => AgentPart.forAgent,
  jobs: (_, { sources }) => Effect.map(LearningJob.kind(sources), (kind) => [kind]),
  stores: {
    services: { learnings: LearningStore },
    layer: SqlLearningStore.layer
  },
  migrations
})
