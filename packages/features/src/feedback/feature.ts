// Feedback on runs, which users and evaluations give.
import * as Feature from "../Feature.ts"
import * as Endpoints from "./FeedbackApi.ts"
import { FeedbackStore } from "./FeedbackStore.ts"
import { feedback as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly feedback: typeof FeedbackStore
  }
}

export const feedback = Feature.make({
  name: "feedback",
  groups: [Endpoints.Feedback],
  stores: { feedback: FeedbackStore },
  migrations,
  load: () => import("./live.ts")
})
