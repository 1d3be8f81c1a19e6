// The form that starts a run. Every value is text, in `multipart/form-data` (required for files) or
// `application/x-www-form-urlencoded`. This is its public schema; `@svc-runtime/server/forms/RunForm` parses it.
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Schema } from "effect"
import { IntText } from "../query/IntText.ts"
import { starting } from "./RunOptionFields.ts"

const text = Schema.optionalKey(Schema.String)

export const RunForm = Schema.Struct({
  message: Schema.String.annotate({ description: "The input; JSON when the agent declares an input schema" }),
  ...starting(RunOption.httpResponse),
  ...starting(RunOption.start),
  session_id: text,
  user_id: text,
  run_id: text,
  version: Schema.optionalKey(
    IntText.annotate({ description: "Which version of a stored agent; registered agents have one" })
  ),
  factory_input: Schema.optionalKey(
    Schema.String.annotate({
      description: "A JSON object for the factory that makes the agent; see factory_input_schema of the agent"
    })
  ),
  ...starting(RunOption.shared),
  ...starting(RunOption.answer),
  ...starting(RunOption.context),
  ...starting(RunOption.client),
  ...starting(RunOption.model),
  ...starting(RunOption.media),
  files: Schema.optionalKey(Schema.Array(Schema.String.annotate({ format: "binary" })))
}).annotate({ identifier: "RunForm" })
export type RunForm = typeof RunForm.Type
