// The service stopped during a `once` call, so its outcome is unknown.
import { Schema } from "effect"

export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tools: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The service stopped while it called ${this.tools.join(", ")}: it is not known whether that was done`
  }
}
