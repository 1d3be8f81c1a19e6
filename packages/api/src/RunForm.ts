// The form that starts a run. Every value is text, in `multipart/form-data` (required for files) or
// `application/x-www-form-urlencoded`. This is its public schema; `@svc/server/forms/RunForm` parses it.
import * as RunOption from "@svc/domain/RunOption"
import { Schema } from "effect"
import { IntText } from "./IntText.ts"
import { flag, starting } from "./RunOptionFields.ts"

const text = Schema.optionalKey(Schema.String)
const json = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const RunForm = Schema.Struct({
  message: Schema.String.annotate({ description: "The input; JSON when the agent declares an input schema" }),
  ...starting(RunOption.answering),
  ...starting(RunOption.start),
  session_id: text,
  user_id: text,
  run_id: text,
  version: Schema.optionalKey(
    IntText.annotate({ description: "Which version of a stored agent; registered agents have one" })
  ),
  factory_input: json("A JSON object for the factory that makes the agent; see factory_input_schema of the agent"),
  session_state: json("A JSON object, merged into the stored state of the session"),
  dependencies: json("A JSON object, handed to instructions and tools"),
  metadata: json("A JSON object, kept with the run"),
  output_schema: json("A JSON Schema that the answer has to fit"),
  use_json_schema: flag("Hand output_schema to the model as it is, without naming the type"),
  ...starting(RunOption.context),
  images: json("A JSON array of images with base64 content or a url"),
  audio: json("A JSON array of audio clips with base64 content or a url"),
  videos: json("A JSON array of videos with base64 content or a url"),
  input_files: json("A JSON array of documents with content or a url"),
  files: Schema.optionalKey(Schema.Array(Schema.String.annotate({ format: "binary" })))
}).annotate({ identifier: "RunForm" })
export type RunForm = typeof RunForm.Type
