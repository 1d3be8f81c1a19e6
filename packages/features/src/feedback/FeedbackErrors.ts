// Errors of feedback.
import { Schema } from "effect"

/** The run has as much feedback as it may have. */
export class FeedbackFull extends Schema.TaggedError<FeedbackFull>()("FeedbackFull", {}) {}
