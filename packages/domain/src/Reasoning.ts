// A step of explicit reasoning. Nulls are kept.
import { Schema } from "effect"

export const NextAction = Schema.Literals(["continue", "validate", "final_answer", "reset"])
export type NextAction = typeof NextAction.Type

export const ReasoningStep = Schema.Struct({
  title: Schema.NullOr(Schema.String),
  action: Schema.NullOr(Schema.String),
  result: Schema.NullOr(Schema.String),
  reasoning: Schema.NullOr(Schema.String),
  next_action: Schema.NullOr(NextAction),
  /** From 0 to 1. */
  confidence: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "ReasoningStep" })
export type ReasoningStep = typeof ReasoningStep.Type
