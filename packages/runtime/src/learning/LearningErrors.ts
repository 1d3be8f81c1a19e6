// The errors of requests that name a learning.
import * as Learning from "@svc/domain/Learning"
import { Schema } from "effect"

/** The learning does not exist, or the caller has no access: the two have the same error. */
export class LearningNotFound extends Schema.TaggedError<LearningNotFound>()("LearningNotFound", {
  learning_id: Learning.Id
}) {
  override get message() {
    return "Learning not found"
  }
}

/** What a model reads when it calls a tool of learnings in a run without them. */
export class LearningRefused extends Schema.TaggedError<LearningRefused>()("LearningRefused", {
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
