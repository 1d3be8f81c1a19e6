// The OpenAPI document as the wire is. The generator includes `_tag` and one schema per error class.
import { isJsonObject, type Json, type JsonObject } from "@svc-runtime/api/documentation/Json"

const withoutTag = (schema: JsonObject): JsonObject => {
  const { properties } = schema
  if (!isJsonObject(properties) || !("_tag" in properties)) return schema
  const { _tag: _, ...rest } = properties
  return { ...schema, properties: rest }
}

const errorName = /^(ErrorResponse|ValidationErrorResponse|InternalErrorResponse)Encoded(_\d+)?$/

/** All errors share one schema, with every code. */
const simplified = (name: string): string => name.replace(errorName, "$1").replace(/^(RunForm|ResumeForm)_\d+$/, "$1")

/** A nullable body is optional. */
const withOptionalBody = (operation: JsonObject): JsonObject => {
  const { requestBody } = operation
  return isJsonObject(requestBody) && JSON.stringify(requestBody).includes("{\"type\":\"null\"}")
    ? { ...operation, requestBody: { ...requestBody, required: false } }
    : operation
}

const refusedBody: Json = {
  description: "ErrorResponse",
  content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }
}

/** Every endpoint with a body can refuse it by size or type, before a handler is called. */
const withBodyErrors = (operation: JsonObject): JsonObject => {
  const { requestBody, responses } = operation
  return isJsonObject(requestBody) && isJsonObject(responses)
    ? { ...operation, responses: { ...responses, "413": refusedBody, "415": refusedBody } }
    : operation
}

/** Alternatives that have become equal. */
const single = (value: JsonObject): Json => {
  const { anyOf } = value
  if (!Array.isArray(anyOf) || Object.keys(value).length > 1) return value
  const [first = value, ...others] = anyOf
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : value
}

/** The generator gives no type to what may be any JSON. */
const anyJson: JsonObject = {
  description: "Any JSON",
  anyOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "null" },
    { type: "array", items: {} },
    { type: "object" }
  ]
}

const isUntyped = (schema: Json): schema is JsonObject =>
  isJsonObject(schema) && Object.keys(schema).every((key) => key === "description")

const withTypes = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isUntyped(schema) ? { $ref: "#/components/schemas/Json", ...schema } : schema
    ])
  )

/** The generator describes numbers and flags in queries as text. */
const textual = ["integer", "boolean"]
const typeOfText = ({ format, type }: JsonObject): string | undefined =>
  type === "string" && typeof format === "string" && textual.includes(format) ? format : undefined

const rewrite = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(rewrite)
  if (!isJsonObject(value)) return value
  const type = typeOfText(value)
  if (type !== undefined) return { type }
  const result: JsonObject = {}
  for (const [key, child] of Object.entries(withBodyErrors(withOptionalBody(withoutTag(value))))) {
    // Unknown request fields are ignored, and responses can get new fields.
    if (key === "x-effect-stream" || (key === "additionalProperties" && child === false)) continue
    result[key] = key === "$ref" && typeof child === "string"
      ? `#/components/schemas/${simplified(child.replace("#/components/schemas/", ""))}`
      : rewrite(key === "properties" && isJsonObject(child) ? withTypes(child) : child)
  }
  return single(result)
}

const codesOf = (schema: Json): ReadonlyArray<Json> => {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return []
  const code = schema["properties"]["error_code"]
  return isJsonObject(code) && Array.isArray(code["enum"]) ? code["enum"] : []
}

const mergedSchemas = (schemas: JsonObject): JsonObject => {
  const merged: JsonObject = { Json: anyJson }
  const codes: Array<Json> = []
  for (const [name, schema] of Object.entries(schemas)) {
    const simple = simplified(name)
    if (simple === "ErrorResponse") codes.push(...codesOf(schema))
    merged[simple] ??= schema
  }
  const error = merged["ErrorResponse"]
  if (isJsonObject(error) && isJsonObject(error["properties"])) {
    merged["ErrorResponse"] = {
      ...error,
      properties: { ...error["properties"], error_code: { type: "string", enum: [...new Set(codes)].sort() } }
    }
  }
  return Object.fromEntries(Object.entries(merged).sort(([left], [right]) => left < right ? -1 : 1))
}

/** The document of the generator, changed to the actual wire format. */
export const ofWire = (generated: JsonObject): JsonObject => {
  const document = rewrite(generated) as JsonObject
  const components = document["components"]
  return isJsonObject(components) && isJsonObject(components["schemas"])
    ? { ...document, components: { ...components, schemas: mergedSchemas(components["schemas"]) } }
    : document
}
