// Why answers do not fit what a run waits for. The run stays paused; each transport maps it to its own error.
import { Schema } from "effect"

export class AnswerRejected extends Schema.TaggedError<AnswerRejected>()("AnswerRejected", {
  /**
   * - `unknown`: the run does not wait for the question
   * - `missing`: a question has no answer
   * - `malformed`: the answer does not have the form that the question needs
   * - `decided`: a resolved approval has decided otherwise
   */
  reason: Schema.Literals(["unknown", "missing", "malformed", "decided"]),
  /** The id of the question. */
  id: Schema.String,
  message: Schema.String
}) {}
