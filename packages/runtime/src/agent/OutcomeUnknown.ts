// A tool that must not be called twice was being called when the service stopped, and nobody knows what came of it.
import { Schema } from "effect"

export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tools: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The service stopped while it called ${this.tools.join(", ")}: it is not known whether that was done`
  }
}
