// The OpenAPI 3.1 document, as it is served and committed. The generator includes `_tag` and one schema per error
// class; this module describes the actual wire format.
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

type Json = string | number | boolean | null | Array<Json> | { [key: string]: Json }

const isRecord = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withoutTag = (schema: { [key: string]: Json }): { [key: string]: Json } => {
  const { properties } = schema
  if (!isRecord(properties) || !("_tag" in properties)) return schema
  const { _tag: _, ...rest } = properties
  return { ...schema, properties: rest }
}

const errorName = /^(ErrorResponse|ValidationErrorResponse|InternalErrorResponse)Encoded(_\d+)?$/

/** All errors share one schema, with every code. */
const simplified = (name: string): string => name.replace(errorName, "$1").replace(/^(RunForm|ResumeForm)_\d+$/, "$1")

/** A nullable body is optional. */
const withOptionalBody = (operation: { [key: string]: Json }): { [key: string]: Json } => {
  const { requestBody } = operation
  return isRecord(requestBody) && JSON.stringify(requestBody).includes("{\"type\":\"null\"}")
    ? { ...operation, requestBody: { ...requestBody, required: false } }
    : operation
}

const refusedBody: Json = {
  description: "ErrorResponse",
  content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }
}

/** Every endpoint with a body can refuse it by size or type, before a handler is called. */
const withBodyErrors = (operation: { [key: string]: Json }): { [key: string]: Json } => {
  const { requestBody, responses } = operation
  return isRecord(requestBody) && isRecord(responses)
    ? { ...operation, responses: { ...responses, "413": refusedBody, "415": refusedBody } }
    : operation
}

/** Alternatives that have become equal. */
const single = (value: { [key: string]: Json }): Json => {
  const { anyOf } = value
  if (!Array.isArray(anyOf) || Object.keys(value).length > 1) return value
  const [first = value, ...others] = anyOf
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : value
}

/** The generator describes numbers and flags in queries as text. */
const textual = ["integer", "boolean"]
const typeOfText = ({ format, type }: { [key: string]: Json }): string | undefined =>
  type === "string" && typeof format === "string" && textual.includes(format) ? format : undefined

const rewrite = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(rewrite)
  if (!isRecord(value)) return value
  const type = typeOfText(value)
  if (type !== undefined) return { type }
  const result: { [key: string]: Json } = {}
  for (const [key, child] of Object.entries(withBodyErrors(withOptionalBody(withoutTag(value))))) {
    // Unknown request fields are ignored, and responses can get new fields.
    if (key === "x-effect-stream" || (key === "additionalProperties" && child === false)) continue
    result[key] = key === "$ref" && typeof child === "string"
      ? `#/components/schemas/${simplified(child.replace("#/components/schemas/", ""))}`
      : rewrite(child)
  }
  return single(result)
}

const codesOf = (schema: Json): ReadonlyArray<Json> => {
  if (!isRecord(schema) || !isRecord(schema["properties"])) return []
  const code = schema["properties"]["error_code"]
  return isRecord(code) && Array.isArray(code["enum"]) ? code["enum"] : []
}

const mergedSchemas = (schemas: { [key: string]: Json }): { [key: string]: Json } => {
  const merged: { [key: string]: Json } = {}
  const codes: Array<Json> = []
  for (const [name, schema] of Object.entries(schemas)) {
    const simple = simplified(name)
    if (simple === "ErrorResponse") codes.push(...codesOf(schema))
    merged[simple] ??= schema
  }
  const error = merged["ErrorResponse"]
  if (isRecord(error) && isRecord(error["properties"])) {
    merged["ErrorResponse"] = {
      ...error,
      properties: { ...error["properties"], error_code: { type: "string", enum: [...new Set(codes)].sort() } }
    }
  }
  return Object.fromEntries(Object.entries(merged).sort(([left], [right]) => left < right ? -1 : 1))
}

export const make = (): { [key: string]: Json } => {
  const document = rewrite(OpenApi.fromApi(Api) as unknown as Json) as { [key: string]: Json }
  const components = document["components"]
  if (isRecord(components) && isRecord(components["schemas"])) {
    document["components"] = { ...components, schemas: mergedSchemas(components["schemas"]) }
  }
  return document
}
