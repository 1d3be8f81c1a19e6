// JSON Schemas in the forms that providers take. A form never accepts less than the schema: what it leaves out is in
// the description of the value, and is checked when the value arrives.
import { Predicate } from "effect"
import type { JsonSchema } from "effect"

type Schema = JsonSchema.JsonSchema
type Keywords = Record<string, unknown>

const isSchema = (value: unknown): value is Schema => Predicate.isObject(value) && !Array.isArray(value)

const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]
const lists = ["anyOf", "oneOf", "allOf", "prefixItems", "items"]
const maps = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"]

/** The schema with each schema inside of it changed, from the inside out. */
const changed = (schema: Schema, change: (schema: Keywords, isRoot: boolean) => Schema, isRoot = true): Schema => {
  const inner = (value: unknown): unknown => isSchema(value) ? changed(value, change, false) : value
  const result: Keywords = { ...schema }
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (lists.includes(keyword) && Array.isArray(value)) result[keyword] = value.map(inner)
    else if (single.includes(keyword)) result[keyword] = inner(value)
    else if (maps.includes(keyword) && isSchema(value)) {
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
    }
  }
  return change(result, isRoot)
}

const bounds = [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const

/** Drafts before 2020-12: exclusive bounds that are booleans, and lists of schemas as `items`. */
const modern = (schema: Keywords): Schema => {
  const result = { ...schema }
  for (const [exclusive, bound] of bounds) {
    if (typeof result[exclusive] !== "boolean") continue
    const isExclusive = result[exclusive] === true && typeof result[bound] === "number"
    delete result[exclusive]
    if (!isExclusive) continue
    result[exclusive] = result[bound]
    delete result[bound]
  }
  if (Array.isArray(result["items"])) {
    const { additionalItems, items, ...rest } = result
    return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
  }
  return result
}

export const repaired = (schema: Schema): Schema => changed(schema, modern)

const propertiesOf = (schema: unknown): Keywords =>
  isSchema(schema) && isSchema(schema["properties"]) ? schema["properties"] : {}

const combinations = ["anyOf", "oneOf", "allOf", "not", "enum", "if", "then", "else"]

/** Parameters as one object without alternatives at its root, which say which of the properties belong together. */
export const flatRoot = (schema: Schema): Schema => {
  const isObject = schema["type"] === undefined || schema["type"] === "object"
  if (!isObject || (schema["$ref"] !== undefined && schema["type"] === undefined)) return schema
  const rest: Keywords = { ...schema, type: "object", properties: propertiesOf(schema) }
  for (const keyword of combinations) {
    if (rest[keyword] === undefined) continue
    delete rest[keyword]
    const members = Array.isArray(schema[keyword]) ? schema[keyword] : []
    for (const member of members) rest["properties"] = { ...propertiesOf(member), ...rest["properties"] as Keywords }
  }
  return rest
}

/** What is left out, in words. */
const described = (schema: Keywords, left: Keywords): Schema => {
  const words = Object.entries(left).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")
  if (words === "") return schema
  const { description } = schema
  return { ...schema, description: typeof description === "string" ? `${description} (${words})` : words }
}

const without = (schema: Keywords, names: ReadonlyArray<string>): readonly [kept: Keywords, left: Keywords] => {
  const kept = { ...schema }
  const left: Keywords = {}
  for (const name of names) {
    if (kept[name] === undefined) continue
    left[name] = kept[name]
    delete kept[name]
  }
  return [kept, left]
}

/** A reference cannot have keywords beside it. */
const alone = (schema: Keywords, isRoot: boolean): Keywords =>
  isRoot || schema["$ref"] === undefined ? schema : { $ref: schema["$ref"] }

class Unfit {
  readonly _tag = "Unfit"
}

interface Subset {
  readonly formats: ReadonlyArray<string>
  /** What is left out: the value is checked when it arrives. */
  readonly left: ReadonlyArray<string>
  /** What cannot be left out. */
  readonly refused: ReadonlyArray<string>
  readonly hasOptional: boolean
}

const shared = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames"
]
const openAi: Subset = {
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  left: ["minLength", "maxLength", "uniqueItems", "default", "examples", "contentEncoding", "contentMediaType"],
  refused: [
    ...shared,
    "allOf",
    "contains",
    "prefixItems",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "unevaluatedItems"
  ],
  hasOptional: false
}
const claude: Subset = {
  formats: [...openAi.formats, "uri"],
  left: [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "examples"
  ],
  refused: [...shared, "contains", "prefixItems", "minProperties", "maxProperties"],
  hasOptional: true
}

const typesOf = (schema: Keywords): ReadonlyArray<unknown> => {
  const { type } = schema
  return Array.isArray(type) ? type : type === undefined ? [] : [type]
}

const strictOne = (subset: Subset) => (given: Keywords, isRoot: boolean): Schema => {
  const one = alone(given, isRoot)
  if (one["$ref"] !== undefined) return one
  const { allOf, oneOf, ...others } = one
  // an allOf of one schema is that schema
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : []
  const merged: Keywords = isSchema(only) && only["$ref"] === undefined
    ? { ...only, ...others }
    : { ...others, ...(allOf === undefined ? {} : { allOf }) }
  if (oneOf !== undefined) {
    if (merged["anyOf"] !== undefined) throw new Unfit()
    merged["anyOf"] = oneOf
  }
  const isUnknownFormat = typeof merged["format"] === "string" && !subset.formats.includes(merged["format"])
  const [kept, left] = without(merged, [...subset.left, ...(isUnknownFormat ? ["format"] : [])])
  if (subset.refused.some((name) => kept[name] !== undefined)) throw new Unfit()
  if (!["type", "anyOf", "enum", "const"].some((name) => kept[name] !== undefined)) throw new Unfit()
  if (typesOf(kept).includes("array") && !isSchema(kept["items"])) throw new Unfit()
  if (!typesOf(kept).includes("object") && kept["properties"] === undefined) return described(kept, left)
  const { additionalProperties = false, properties = {}, required = [] } = kept
  const names = Object.keys(properties as Keywords)
  const isClosed = additionalProperties === false && (names.length > 0 || kept["additionalProperties"] === false)
  const isComplete = subset.hasOptional || names.every((name) => (required as ReadonlyArray<string>).includes(name))
  const isKnown = (required as ReadonlyArray<string>).every((name) => names.includes(name))
  if (!isClosed || !isComplete || !isKnown) throw new Unfit()
  return described({ ...kept, type: kept["type"] ?? "object", properties, required, additionalProperties: false }, left)
}

const strictBy = (subset: Subset) => (schema: Schema): Schema | undefined => {
  if (schema["type"] !== "object" || combinations.some((keyword) => schema[keyword] !== undefined)) return undefined
  try {
    return changed(schema, strictOne(subset))
  } catch (cause) {
    if (cause instanceof Unfit) return undefined
    throw cause
  }
}

/** For OpenAI's strict mode, and that of the providers that speak its format. */
export const openAiStrict = strictBy(openAi)

/** For strict tools of Anthropic. */
export const claudeStrict = strictBy(claude)

const geminiFormats = ["date-time", "date", "time", "float", "double", "int32", "int64", "enum"]
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

/** The keywords that belong to one type of value. */
const ofType: Readonly<Record<string, ReadonlyArray<string>>> = {
  object: ["properties", "required", "additionalProperties", "propertyOrdering"],
  array: ["items", "prefixItems", "minItems", "maxItems"],
  number: ["minimum", "maximum", "format"],
  integer: ["minimum", "maximum", "format"],
  string: ["format"]
}
const typed = [...new Set(Object.values(ofType).flat())]

/** A list of types as alternatives, each with the keywords that belong to it. */
const alternatives = (schema: Keywords, types: ReadonlyArray<unknown>): Schema => {
  const [rest, own] = without(schema, ["type", ...typed])
  return {
    ...rest,
    anyOf: types.map((type) => ({
      type,
      ...Object.fromEntries(
        (ofType[String(type)] ?? []).flatMap((name) => own[name] === undefined ? [] : [[name, own[name]]])
      ),
      ...(type === "array" && own["items"] === undefined && own["prefixItems"] === undefined ? { items: {} } : {})
    }))
  }
}

const geminiOne = (given: Keywords, isRoot: boolean): Schema => {
  const one: Keywords = { ...alone(given, isRoot) }
  if (one["$ref"] !== undefined && !isRoot) return one
  if (one["const"] !== undefined) {
    one["enum"] = [one["const"]]
    delete one["const"]
  }
  const { definitions, allOf, ...others } = one
  const merged: Keywords = { ...others, ...(definitions === undefined ? {} : { $defs: definitions }) }
  for (const member of Array.isArray(allOf) ? allOf : []) {
    if (!isSchema(member) || member["$ref"] !== undefined) continue
    Object.assign(merged, { ...member, ...merged, properties: { ...propertiesOf(member), ...propertiesOf(merged) } })
    if (Object.keys(merged["properties"] as Keywords).length === 0) delete merged["properties"]
  }
  const values = merged["enum"]
  const isOdd = Array.isArray(values) && values.some((value) => typeof value !== "string" && typeof value !== "number")
  const isUnknownFormat = typeof merged["format"] === "string" && !geminiFormats.includes(merged["format"])
  const unknown = Object.keys(merged).filter((name) => !geminiKeywords.includes(name))
  const [kept, left] = without(merged, [...unknown, ...(isOdd ? ["enum"] : []), ...(isUnknownFormat ? ["format"] : [])])
  const properties = propertiesOf(kept)
  if (Array.isArray(kept["required"])) kept["required"] = kept["required"].filter((name) => String(name) in properties)
  const types = typesOf(kept)
  if (types.includes("array") && kept["items"] === undefined && kept["prefixItems"] === undefined) kept["items"] = {}
  const { $schema: _, $comment: __, examples: ___, ...words } = left
  const result = described(kept, words)
  return types.filter((type) => type !== "null").length > 1 ? alternatives(result, types) : result
}

/** For Gemini: constants as enums, lists of types as alternatives, and no keyword that it does not know. */
export const gemini = (schema: Schema): Schema => {
  const { definitions, ...rest } = schema
  if (!isSchema(definitions)) return changed(schema, geminiOne)
  const moved = JSON.stringify({ ...rest, $defs: definitions }).replaceAll("\"#/definitions/", "\"#/$defs/")
  return changed(JSON.parse(moved) as Schema, geminiOne)
}
