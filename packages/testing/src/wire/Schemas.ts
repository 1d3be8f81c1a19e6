// The subsets of JSON Schema that providers accept. Each function refuses what its provider refuses.
import { type Fields, fieldsOf, isFields, listOf, must } from "./Rule.ts"

/** Keywords whose value is one schema. */
const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]
/** Keywords whose value is a list of schemas. */
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"]
/** Keywords whose value has a schema under each name. */
const maps = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"]

type Visit = (schema: Fields, path: string, depth: number) => void

/** Each schema of a schema, with its place. */
const walk = (schema: unknown, path: string, visit: Visit, depth = 0): void => {
  if (typeof schema === "boolean") return
  const fields = fieldsOf(schema, path)
  visit(fields, path, depth)
  for (const keyword of single) {
    if (fields[keyword] !== undefined) walk(fields[keyword], `${path}.${keyword}`, visit, depth + 1)
  }
  for (const keyword of lists) {
    if (fields[keyword] === undefined) continue
    const members = listOf(fields[keyword], `${path}.${keyword}`)
    must(members.length > 0, `${path}.${keyword} must not be empty`)
    for (const [index, member] of members.entries()) walk(member, `${path}.${keyword}[${index}]`, visit, depth + 1)
  }
  for (const keyword of maps) {
    if (fields[keyword] === undefined) continue
    for (const [name, member] of Object.entries(fieldsOf(fields[keyword], `${path}.${keyword}`))) {
      walk(member, `${path}.${keyword}.${name}`, visit, depth + 1)
    }
  }
}

const typesOf = ({ type }: Fields): ReadonlyArray<unknown> =>
  Array.isArray(type) ? type : type === undefined ? [] : [type]

const isObjectSchema = (schema: Fields): boolean =>
  typesOf(schema).includes("object") || schema["properties"] !== undefined

const names = ["string", "number", "integer", "boolean", "object", "array", "null"]

/** What no provider accepts, since it is no JSON Schema of draft 2020-12. */
const valid: Visit = (schema, path) => {
  for (const type of typesOf(schema)) must(names.includes(type as string), `${path}.type is ${JSON.stringify(type)}`)
  for (const keyword of ["exclusiveMinimum", "exclusiveMaximum"]) {
    const value = schema[keyword]
    must(value === undefined || typeof value === "number", `${path}.${keyword} is ${String(value)}, which is no number`)
  }
  const { required } = schema
  must(required === undefined || Array.isArray(required), `${path}.required must be a list`)
  const values = schema["enum"]
  must(values === undefined || (Array.isArray(values) && values.length > 0), `${path}.enum must be a list of values`)
}

/** Each reference has its definition. */
const references = (root: Fields, path: string): Visit => (schema) => {
  const reference = schema["$ref"]
  if (reference === undefined) return
  must(typeof reference === "string" && reference.startsWith("#"), `${path} refers to ${String(reference)}`)
  let found: unknown = root
  for (const step of (reference as string).slice(1).split("/").filter((step) => step !== "")) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
    found = isFields(found) ? found[name] : Array.isArray(found) ? found[Number(name)] : undefined
  }
  must(found !== undefined, `${path} refers to ${String(reference)}, which it does not define`)
}

export const plain = (schema: unknown, path: string): void => {
  const root = fieldsOf(schema, path)
  walk(root, path, valid)
  walk(root, path, references(root, path))
}

/** A root that is one object: of arguments everywhere, of answers at OpenAI. */
export const objectRoot = (schema: unknown, path: string): void => {
  const root = fieldsOf(schema, path)
  must(root["type"] === "object", `${path} must be a schema of type "object", got ${JSON.stringify(root["type"])}`)
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not"]) {
    must(root[keyword] === undefined, `${path} must not have ${keyword} at its top level`)
  }
}

/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const openAiFormats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]
const openAiRefused = [
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "prefixItems",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "default"
]

/** Of `strict: true`. */
export const openAiStrict = (schema: unknown, path: string): void => {
  objectRoot(schema, path)
  plain(schema, path)
  let properties = 0
  walk(schema, path, (one, at, depth) => {
    must(depth <= 40, `${at} is nested too deep`)
    for (const keyword of openAiRefused) must(one[keyword] === undefined, `${at}: ${keyword} is not permitted`)
    must(
      one["format"] === undefined || openAiFormats.includes(one["format"] as string),
      `${at}: ${JSON.stringify(one["format"])} is not a valid format`
    )
    if (one["$ref"] !== undefined) {
      must(
        Object.keys(one).every((key) => key === "$ref" || key === "$defs"),
        `${at}: $ref cannot have keywords beside it`
      )
      return
    }
    must(
      ["type", "anyOf", "enum", "const"].some((keyword) => one[keyword] !== undefined),
      `${at}: schema must have a 'type' key`
    )
    if (typesOf(one).includes("array")) must(isFields(one["items"]), `${at}: array schema missing items`)
    if (!isObjectSchema(one)) return
    must(
      one["additionalProperties"] === false,
      `${at}: 'additionalProperties' is required to be supplied and to be false`
    )
    const required = Array.isArray(one["required"]) ? one["required"] : []
    const keys = Object.keys(fieldsOf(one["properties"] ?? {}, `${at}.properties`))
    properties += keys.length
    for (const key of keys) {
      must(required.includes(key), `${at}: 'required' must include every key, and misses '${key}'`)
    }
    for (const key of required) {
      must(keys.includes(key as string), `${at}: extra required key '${String(key)}' supplied`)
    }
  })
  must(properties <= 5000, `${path} has ${properties} properties, and may have 5000`)
}

/** https://docs.claude.com/en/docs/build-with-claude/structured-outputs#json-schema-limitations */
const claudeFormats = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]
const claudeRefused = [
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "prefixItems",
  "contains"
]

export const claudeStrict = (schema: unknown, path: string): void => {
  plain(schema, path)
  walk(schema, path, (one, at) => {
    for (const keyword of claudeRefused) must(one[keyword] === undefined, `${at}: '${keyword}' is not supported`)
    must(
      one["minItems"] === undefined || one["minItems"] === 0 || one["minItems"] === 1,
      `${at}: minItems must be 0 or 1`
    )
    must(
      one["format"] === undefined || claudeFormats.includes(one["format"] as string),
      `${at}: '${String(one["format"])}' is no supported format`
    )
    if (typesOf(one).includes("object")) {
      must(one["additionalProperties"] === false, `${at}: 'additionalProperties' must be explicitly set to false`)
    }
  })
}

/** https://ai.google.dev/api/caching#Schema and the fields of `parametersJsonSchema` and `responseJsonSchema` */
const geminiKeywords = [
  "$id",
  "$defs",
  "$ref",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
  "oneOf",
  "properties",
  "additionalProperties",
  "required",
  "propertyOrdering"
]
const geminiFormats = ["date-time", "date", "time", "float", "double", "int32", "int64", "enum"]

export const gemini = (schema: unknown, path: string): void => {
  plain(schema, path)
  walk(schema, path, (one, at) => {
    for (const keyword of Object.keys(one)) {
      must(geminiKeywords.includes(keyword), `${at}: unknown name "${keyword}": cannot find field`)
    }
    must(
      one["format"] === undefined || geminiFormats.includes(one["format"] as string),
      `${at}: format ${JSON.stringify(one["format"])} is not supported`
    )
    const types = typesOf(one).filter((type) => type !== "null")
    must(types.length < 2, `${at}.type must be one type, with or without "null"`)
    if (one["$ref"] !== undefined) {
      must(Object.keys(one).every((key) => key.startsWith("$")), `${at}: $ref cannot have keywords beside it`)
    }
    const values = one["enum"]
    if (Array.isArray(values)) {
      must(
        values.every((value) => typeof value === "string" || typeof value === "number"),
        `${at}.enum must have strings or numbers`
      )
    }
    if (types.includes("array")) {
      must(one["items"] !== undefined || one["prefixItems"] !== undefined, `${at}.items: missing field`)
    }
    for (const key of (one["required"] ?? []) as ReadonlyArray<string>) {
      must(isFields(one["properties"]) && key in one["properties"], `${at}.required: property '${key}' is not defined`)
    }
  })
}
