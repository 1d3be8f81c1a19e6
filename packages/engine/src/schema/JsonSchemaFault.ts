// What Effect reads over in a JSON Schema, and providers refuse: types of other languages, and `required` in a field.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as NameList from "@svc-runtime/domain/NameList"
import { Predicate } from "effect"

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

/** Keywords whose values are schemas, or lists of them. */
const schemas = [
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then"
]

/** Keywords whose values have schemas by name. */
const maps = ["$defs", "definitions", "patternProperties", "properties"]

const reasonOf = ({ required, type }: Readonly<Record<string, unknown>>, field: string | undefined) => {
  const unknown = [type].flat().find(isUnknownType)
  if (unknown !== undefined) return `JSON Schema has no type '${unknown}'${todoFor(unknown)}`
  if (!Predicate.isBoolean(required)) return undefined
  const todo = required && field !== undefined
    ? `required: [ "${field}" ] beside properties`
    : "the list, or leave it out"
  return `required is a list of names. Write ${todo}`
}

const faultIn = (node: unknown, fields: ReadonlyArray<string>): Fault | undefined => {
  if (!Predicate.isObject(node)) return undefined
  const schema = node as Readonly<Record<string, unknown>>
  const reason = reasonOf(schema, fields.at(-1))
  if (reason !== undefined) return { reason, fields }
  const inner = [
    ...maps.flatMap((keyword) =>
      Object.entries(schema[keyword] ?? {}).map(([name, each]) =>
        [each, keyword === "properties" ? [...fields, name] : fields] as const
      )
    ),
    ...schemas.flatMap((keyword) => [schema[keyword]].flat().map((each) => [each, fields] as const))
  ]
  for (const [each, path] of inner) {
    const fault = faultIn(each, path)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Of a JSON Schema without circles. */
export const of = (schema: unknown): Fault | undefined => faultIn(schema, [])
