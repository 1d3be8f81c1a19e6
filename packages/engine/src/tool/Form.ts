// A form for values of a person, made from a JSON Schema of an object: its fields, and whether values fit it.
import * as Json from "@svc-runtime/domain/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import { Option, Result } from "effect"
import { type Field, typeOf } from "./UserInput.ts"

const constOf = (option: Json.Value): ReadonlyArray<Json.Value> =>
  Json.isObject(option) && option["const"] !== undefined ? [option["const"]] : []

/** Of a choice, with titles or without. */
const allowedOf = ({ enum: values, oneOf }: Json.Object): ReadonlyArray<Json.Value> | undefined => {
  if (Json.isList(values)) return values
  return Json.isList(oneOf) ? oneOf.flatMap(constOf) : undefined
}

const descriptionOf = ({ description, items, oneOf, title }: Json.Object): string | null => {
  const options = Json.isList(oneOf) ? oneOf : Json.isObject(items) && Json.isList(items["anyOf"]) ? items["anyOf"] : []
  const titled = options.flatMap((option) =>
    Json.isObject(option) && typeof option["title"] === "string"
      ? [`${JSON.stringify(option["const"])}: ${option["title"]}`]
      : []
  )
  const parts = [title, description, titled.join(", ")].filter((part) => typeof part === "string" && part !== "")
  return parts.length === 0 ? null : parts.join(". ")
}

const propertiesOf = ({ properties }: Json.Object): Json.Object => Json.isObject(properties) ? properties : {}

export const fieldsOf = (schema: Json.Object): ReadonlyArray<Field> => {
  const { required } = schema
  const needed = Json.isList(required) ? required : []
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const field = Json.isObject(property) ? property : {}
    const allowed = allowedOf(field)
    return {
      name,
      field_type: typeOf(field),
      description: descriptionOf(field),
      value: field["default"] ?? null,
      required: needed.includes(name),
      ...(allowed === undefined ? {} : { allowed_values: allowed })
    }
  })
}

/** Clients can send every value as a text. */
const valueOf = (schema: Json.Value | undefined, value: Json.Value): Json.Value => {
  const type = Json.isObject(schema) ? schema["type"] : undefined
  return typeof value === "string" && type !== "string" && type !== undefined
    ? Option.getOrElse(Json.parseInput(value), () => value)
    : value
}

/** The values as the schema means them. */
export const valuesOf = (schema: Json.Object, values: Json.Object): Json.Object => {
  const properties = propertiesOf(schema)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(properties[name], value)]))
}

/** Why a value does not fit the schema. Undefined: it fits. */
export const problemIn = (schema: Json.Object, value: Json.Value): string | undefined => {
  const check = Result.getOrUndefined(Result.try(() => JsonSchemaCheck.make(schema)))
  const verdict = check?.(value)
  if (verdict === undefined) return undefined
  if (verdict._tag === "Exceeded") return `the check against the schema takes more than ${verdict.limit}`
  const [issue] = verdict.issues
  return issue === undefined ? undefined : [...issue.path, issue.message].join(": ")
}
