// Settings or options with which a service cannot start.
import { Schema } from "effect"

export class InvalidConfig extends Schema.TaggedError<InvalidConfig>()("InvalidConfig", {
  message: Schema.String
}) {}
