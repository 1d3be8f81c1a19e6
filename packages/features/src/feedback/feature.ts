// Feedback on runs, which users and evaluations give.
import * as Feature from "../Feature.ts"
import * as Endpoints from "./FeedbackApi.ts"
import { Feedback } from "./FeedbackHandlers.ts"
import { FeedbackStore } from "./FeedbackStore.ts"
import { feedback as migrations } from "./migrations.ts"
import * as SqlFeedbackStore from "./SqlFeedbackStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly feedback: typeof FeedbackStore
  }
}

export const feedback = Feature.make({
  name: "feedback",
  stores: {
    services: { feedback: FeedbackStore },
    layer: SqlFeedbackStore.layer
  },
  migrations,
  groups: [Endpoints.Feedback],
  handlers: Feedback
})
