// Why a content cannot be read.
import { Schema } from "effect"

/** The content has no text that can be read. The message is a sentence for its owner. */
export class NotReadable extends Schema.TaggedError<NotReadable>()("NotReadable", {
  message: Schema.String,
  /** Whether it can be read later: a site did not respond. */
  isTransient: Schema.Boolean
}) {}
