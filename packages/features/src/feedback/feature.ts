// Feedback on runs, which users and evaluations give.
import * as Feature from "../Feature.ts"
import * as Endpoints from "./FeedbackApi.ts"
import { Feedback } from "./FeedbackHandlers.ts"

export const feedback = Feature.make({ name: "feedback", groups: [Endpoints.Feedback], handlers: Feedback })
