// What Effect reads over in a JSON Schema that an author has written, and providers refuse or read over too: types of
// other languages, fields that are not in `properties`, schemas of libraries, and wrappings of providers.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as NameList from "@svc-runtime/domain/NameList"
import { Predicate, Schema } from "effect"
import { described } from "../userCode/Mistake.ts"

export interface Fault {
  readonly reason: string
  /** The names of the fields on the way to it. */
  readonly fields: ReadonlyArray<string>
}

const types: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

const isUnknownType = (type: unknown): type is string => Predicate.isString(type) && !types.has(type)

/** What other languages and formats call a type. */
const meanings: Readonly<Record<string, string>> = {
  bool: "boolean",
  decimal: "number",
  dict: "object",
  double: "number",
  float: "number",
  int: "integer",
  list: "array",
  long: "integer",
  map: "object",
  none: "null",
  record: "object",
  str: "string",
  text: "string"
}

/** Texts of a format. */
const formats: Readonly<Record<string, string>> = {
  date: "date",
  datetime: "date-time",
  email: "email",
  time: "time",
  uri: "uri",
  url: "uri",
  uuid: "uuid"
}

const todoFor = (type: string): string => {
  const plain = type.toLowerCase().replaceAll(/[^a-z]/g, "")
  if (plain === "any") return ". Leave type out"
  if (Object.hasOwn(formats, plain)) return `. Write { type: "string", format: "${formats[plain]}" }`
  const names = [...types].map(String)
  const meant = Object.hasOwn(meanings, plain) ? meanings[plain] : Misspelling.meant(plain, new Set(names)) ?? plain
  return meant !== undefined && types.has(meant) ? `. Did you mean '${meant}'?` : `, but ${NameList.all(names)}`
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => Predicate.isObject(value)

/** Keywords whose values are schemas. */
const schemas = [
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
]

/** Keywords whose values are lists of schemas. `items` is one of draft 7, and a schema. */
const lists = ["allOf", "anyOf", "items", "oneOf", "prefixItems"]

/** Keywords whose values have schemas by name. */
const maps = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]

/** With them, a field that is required can be described elsewhere. */
const composing = ["$ref", "$dynamicRef", "allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"]

/** What describes other fields than those of `properties`. */
const others = ["additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties"]

const structural: ReadonlySet<string> = new Set([
  ...schemas,
  ...lists,
  ...maps,
  ...composing,
  "const",
  "dependencies",
  "dependentRequired",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "nullable",
  "pattern",
  "required",
  "type",
  "uniqueItems"
])

/** They describe, and allow any value. Those of OpenAPI are read over. */
const descriptive: ReadonlySet<string> = new Set([
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "deprecated",
  "description",
  "discriminator",
  "example",
  "examples",
  "externalDocs",
  "readOnly",
  "title",
  "writeOnly",
  "xml"
])

/** Extensions begin so, and what belongs to the document. */
export const isKeyword = (name: string): boolean =>
  structural.has(name) || descriptive.has(name) || /^(\$|x-)/.test(name)

/** Where providers and other libraries have the schema in what they take. */
const wrappings = [
  "function.parameters",
  "input_schema",
  "inputSchema",
  "jsonSchema",
  "json_schema.schema",
  "parameters",
  "schema"
]

/** What zod describes as JSON Schema keeps a hidden `~standard`. */
const isDescription = (value: object): boolean =>
  !("_zod" in value) && Object.getOwnPropertyDescriptor(value, "~standard")?.enumerable === false

const isLibrarys = (value: unknown): boolean =>
  Schema.isSchema(value) || Predicate.hasProperty(value, "~standard") && !isDescription(value) ||
  Predicate.hasProperty(value, "_def") && Predicate.hasProperty(value, "safeParse")

const wrappingOf = (root: Node): string | undefined => {
  const isPlain = Object.keys(root).every((name) => !structural.has(name)) || isUnknownType(root["type"])
  return isPlain
    ? wrappings.find((path) => {
      const inner = path.split(".").reduce<unknown>((each, name) => isNode(each) ? each[name] : undefined, root)
      return isNode(inner) || isLibrarys(inner)
    })
    : undefined
}

/** What is wrong with the schema as a whole. */
const wrapped = (root: Node): string | undefined => {
  const path = wrappingOf(root)
  if (path !== undefined) return `The schema is in its '${path}'. Give it alone`
  const names = Object.keys(root)
  return names.length === 0 || names.some(isKeyword)
    ? undefined
    : `${NameList.all(names)} ${names.length === 1 ? "is no keyword" : "are no keywords"} of JSON Schema. Write ` +
      "{ type: \"object\", properties: { … } }"
}

const isSchemaLike = (value: unknown): boolean =>
  isLibrarys(value) || isNode(value) && (Predicate.isString(value["type"]) || Predicate.isString(value["$ref"]))

/** Fields beside `type` in place of `properties`. */
const outside = (schema: Node): string | undefined => {
  if (schema["type"] !== "object" || schema["properties"] !== undefined) return undefined
  const names = Object.keys(schema).filter((name) => !isKeyword(name) && isSchemaLike(schema[name]))
  return names.length === 0 ? undefined : `Its fields (${names.join(", ")}) are beside properties. Write them in it`
}

const inRequired = ({ required }: Node, field: string | undefined): string | undefined => {
  if (required === undefined || Array.isArray(required) && required.every(Predicate.isString)) return undefined
  const todo = required === true && field !== undefined
    ? `required: [ "${field}" ] beside properties`
    : Predicate.isString(required)
    ? `required: [ "${required}" ]`
    : "the list, or leave it out"
  return `required is a list of names. Write ${todo}`
}

const isOpen = (schema: Node): boolean =>
  others.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== false)

/** A field that is required and not described: no model gives it. */
const missing = (schema: Node): string | undefined => {
  const { properties, required } = schema
  if (!isNode(properties) || !Array.isArray(required) || isOpen(schema)) return undefined
  const name: unknown = required.find((each) => !Object.hasOwn(properties, each))
  return name === undefined ? undefined : `required names '${String(name)}', which is not in properties`
}

const inType = ({ type }: Node): string | undefined => {
  const unknown = [type].flat().find(isUnknownType)
  return unknown === undefined ? undefined : `JSON Schema has no type '${unknown}'${todoFor(unknown)}`
}

/** What has to be a map or a schema, and is none. */
const inKeywords = (schema: Node): string | undefined => {
  for (const keyword of maps) {
    const map = schema[keyword]
    if (map === undefined || isNode(map) && !isLibrarys(map)) continue
    const todo = keyword === "properties" ? ". Write { name: { type: … } } for each field" : ""
    return `${keyword} is a map of schemas by name, and is ${
      isLibrarys(map) ? "a schema of a library" : described(map)
    }${todo}`
  }
  return undefined
}

const ofPart = (value: unknown): string | undefined => {
  if (isLibrarys(value)) {
    return "A JSON Schema has no schemas of a library in it. Write z.object({ … }) around all fields, or this one as " +
      "JSON Schema"
  }
  if (value === undefined || Predicate.isBoolean(value) || isNode(value)) return undefined
  const todo = !Predicate.isString(value)
    ? "{ type: … }"
    : types.has(value)
    ? `{ type: "${value}" }`
    : "{ type: …, description: … }"
  return `A schema is an object, and this one is ${described(value)}. Write ${todo}`
}

interface Place {
  readonly fields: ReadonlyArray<string>
  /** It is one of several that describe the same value. */
  readonly isPart: boolean
}

const partsOf = (schema: Node, { fields, isPart }: Place): ReadonlyArray<readonly [unknown, Place]> => {
  const isComposed = isPart || composing.some((keyword) => schema[keyword] !== undefined)
  return [
    ...maps.flatMap((keyword) =>
      Object.entries(schema[keyword] ?? {}).map(([name, each]) =>
        [each, {
          fields: keyword === "properties" ? [...fields, name] : fields,
          isPart: isComposed || keyword !== "properties"
        }] as const
      )
    ),
    ...schemas.map((keyword) => [schema[keyword], { fields, isPart: isComposed }] as const),
    ...lists.flatMap((keyword) =>
      [schema[keyword]].flat().map((each) => [each, { fields, isPart: isComposed }] as const)
    )
  ]
}

const faultIn = (node: unknown, place: Place, seen: Set<unknown>): Fault | undefined => {
  const { fields, isPart } = place
  const wrong = ofPart(node)
  if (wrong !== undefined) return { reason: wrong, fields }
  if (!isNode(node) || seen.has(node)) return undefined
  seen.add(node)
  const reason = inType(node) ?? inRequired(node, fields.at(-1)) ?? inKeywords(node) ?? outside(node) ??
    (isPart || composing.some((keyword) => node[keyword] !== undefined) ? undefined : missing(node))
  if (reason !== undefined) return { reason, fields }
  for (const [each, inner] of partsOf(node, place)) {
    const fault = faultIn(each, inner, seen)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The first fault of a JSON Schema. What is valid has none. */
export const of = (schema: unknown): Fault | undefined => {
  const reason = isNode(schema) ? wrapped(schema) : undefined
  return reason === undefined ? faultIn(schema, { fields: [], isPart: false }, new Set()) : { reason, fields: [] }
}
