// Why a service with agents that execute commands does not start.
import { Schema } from "effect"

export class SandboxMissing extends Schema.TaggedError<SandboxMissing>()("SandboxMissing", {
  message: Schema.String
}) {}
