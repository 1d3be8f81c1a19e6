// The errors of requests that name a learning.
import { UserId } from "@svc-runtime/domain/Ids"
import { Schema } from "effect"
import * as Learning from "./Learning.ts"

/** The learning does not exist, or the caller has no access: the two have the same error. */
export class LearningNotFound extends Schema.TaggedError<LearningNotFound>()("LearningNotFound", {
  learning_id: Learning.Id
}) {
  override get message() {
    return "Learning not found"
  }
}

/** What a model reads when it calls a tool of learnings in a run without them. */
export class LearningRejected extends Schema.TaggedError<LearningRejected>()("LearningRejected", {
  message: Schema.String
}) {}

/** The id is used, whatever its owner. */
export class LearningExists extends Schema.TaggedError<LearningExists>()("LearningExists", {
  learning_id: Learning.Id,
  learning_type: Schema.String
}) {
  override get message() {
    return `A '${this.learning_type}' learning already exists for this identity (id '${this.learning_id}'). ` +
      `Use PATCH /learnings/${this.learning_id} to update it.`
  }
}

/** The user has as many learnings, or proposed ones, as the service keeps of one user. */
export class TooManyLearnings extends Schema.TaggedError<TooManyLearnings>()("TooManyLearnings", {
  user_id: UserId,
  limit: Schema.Natural,
  isProposed: Schema.Boolean
}) {
  override get message() {
    return this.isProposed
      ? `User ${this.user_id} has proposed as many learnings as may wait for an approval ` +
        `(MAX_PROPOSED_LEARNINGS_PER_USER is ${this.limit}). Approve or delete some of them first.`
      : `User ${this.user_id} has as many learnings as one user may have (MAX_LEARNINGS_PER_USER is ${this.limit}). ` +
        "Delete learnings of the user first."
  }
}
