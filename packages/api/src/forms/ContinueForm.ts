// The form that continues a run of an agent or a team: decisions on its calls, or input for its model. Every value is
// text.
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"
import { continuing, flag } from "./RunOptionFields.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const ContinueForm = Schema.Struct({
  session_id: text("The session of the run. Required"),
  tools: text("A JSON array: the tools of the paused run, each with its decision"),
  requirements: text("A JSON array: the requirements of the paused run, each with its decision"),
  ...continuing(RunOption.response),
  ...continuing(RunOption.disconnect),
  input: text("Input for the model before the run resumes"),
  additional_instructions: text("The same as input"),
  continue_from: text("`end` (the default), `last_user`, or how many messages to keep"),
  fork: flag("Continue in a new run, and leave this one as it is. Completed runs always do"),
  regenerate: flag("Answer anew, in a new run"),
  replace_original: flag(
    "With regenerate: whether the answer that is given anew is left out from then on. Default true"
  ),
  user_id: text("For the factory of the component. The run keeps its user"),
  factory_input: text("A JSON object for the factory of the component. Default: that of the run's start"),
  ...continuing(RunOption.given),
  ...continuing(RunOption.inherited)
}).annotate({ identifier: "ContinueForm" })
export type ContinueForm = typeof ContinueForm.Type
