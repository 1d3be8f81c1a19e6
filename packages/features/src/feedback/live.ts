// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import { Feedback } from "./FeedbackHandlers.ts"
import * as SqlFeedbackStore from "./SqlFeedbackStore.ts"

export const live = Feature.live({
  stores: SqlFeedbackStore.layer,
  handlers: Feedback
})
