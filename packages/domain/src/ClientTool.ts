// A tool that the client of a run executes: the run pauses at a call, and is continued with its result.
import { type JsonSchema, Result, Schema } from "effect"
import * as Json from "./Json.ts"
import * as References from "./schema/JsonSchemaReferences.ts"
import * as ToolName from "./ToolName.ts"

const Name = Schema.String.check(Schema.isPattern(ToolName.rule))

const isObjectSchema = ({ type }: Json.Object): boolean => type === undefined || type === "object"

/** Models refuse a schema whose references lead nowhere. */
const hasDefinitions = (schema: Json.Object): boolean =>
  Result.isSuccess(Result.try(() => References.check(schema as JsonSchema.JsonSchema)))

export const ClientTool = Schema.Struct({
  name: Name,
  description: Schema.optionalKey(Schema.String),
  /** The JSON Schema of an object. Without it the tool takes no arguments. */
  parameters: Schema.optionalKey(
    Json.Input.check(
      Schema.makeFilter(isObjectSchema, { message: "Input should be the JSON Schema of an object" }),
      Schema.makeFilter(hasDefinitions, { message: "Input should have references only to definitions of its own" })
    )
  )
}).annotate({ identifier: "ClientTool" })
export type ClientTool = typeof ClientTool.Type

export const maxCount = 128

export const ClientTools = Schema.Array(ClientTool).check(Schema.isMaxLength(maxCount))
