// What agents learn from runs.
import * as Feature from "../Feature.ts"
import { Learnings as LearningsEndpoints } from "./LearningsApi.ts"
import { LearningStore } from "./LearningStore.ts"
import { learning as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly learnings: typeof LearningStore
  }
}

export const learning = Feature.make({
  name: "learning",
  groups: [LearningsEndpoints],
  stores: { learnings: LearningStore },
  migrations,
  load: () => import("./live.ts")
})
