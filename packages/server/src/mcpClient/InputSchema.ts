// Whether what a server sends as a schema is one. Providers refuse all requests that have a schema which is none.
import * as Json from "@svc-runtime/domain/Json"
import { Predicate } from "effect"

const types = ["array", "boolean", "integer", "null", "number", "object", "string"]

const maxBytes = 64 * 1024

const isText = (value: unknown): boolean => typeof value === "string"
const isList = (fits: (item: unknown) => boolean) => (value: unknown): boolean =>
  Array.isArray(value) && value.every(fits)
const isType = (value: unknown): boolean => typeof value === "string" && types.includes(value)
const isSchemas = isList(isSchema)
const isMap = (value: unknown): boolean => Predicate.isObject(value) && Object.values(value).every(isSchema)

/** The keywords whose wrong values make a schema unreadable. */
const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => isType(value) || isList(isType)(value),
  properties: isMap,
  patternProperties: isMap,
  $defs: isMap,
  definitions: isMap,
  items: (value) => isSchema(value) || isSchemas(value),
  prefixItems: isSchemas,
  additionalProperties: isSchema,
  anyOf: isSchemas,
  oneOf: isSchemas,
  allOf: isSchemas,
  not: isSchema,
  required: isList(isText),
  enum: Array.isArray,
  description: isText,
  title: isText,
  $ref: isText,
  pattern: isText
}

function isSchema(value: unknown): boolean {
  if (typeof value === "boolean") return true
  if (!Predicate.isObject(value) || Array.isArray(value)) return false
  return Object.entries(value).every(([keyword, given]) =>
    !Object.hasOwn(keywords, keyword) || keywords[keyword]?.(given) === true
  )
}

/** Of the schema of a tool's arguments. Undefined: it can be used. */
export const problemOf = (schema: Json.Value): string | undefined => {
  if (!Json.isShallow(schema)) return Json.tooDeep
  if (JSON.stringify(schema).length > maxBytes) return `Its schema has more than ${maxBytes} characters`
  if (!Json.isObject(schema) || schema["type"] !== "object") return "Its schema does not describe an object"
  return isSchema(schema) ? undefined : "Its schema is no JSON Schema"
}
