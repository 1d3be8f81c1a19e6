// Arguments of a tool that a person supplies, as a list of fields for a form.
import type * as Json from "@svc-runtime/domain/Json"
import { type JsonSchema, Predicate, Schema } from "effect"
import { Mistake } from "../userCode/Mistake.ts"

export const FieldType = Schema.Literals(["str", "int", "float", "bool", "list", "dict"])

export const Field = Schema.Struct({
  name: Schema.String,
  field_type: FieldType,
  description: Schema.NullOr(Schema.String),
  value: Schema.NullOr(Schema.Json),
  /** False: the person may leave it out. */
  required: Schema.optionalKey(Schema.Boolean),
  allowed_values: Schema.optionalKey(Schema.Array(Schema.Json))
})
export type Field = typeof Field.Type

const types: ReadonlyMap<string, Field["field_type"]> = new Map([
  ["string", "str"],
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["array", "list"],
  ["object", "dict"]
])

export const typeOf = (schema: Json.Object): Field["field_type"] => types.get(String(schema["type"])) ?? "str"

/** The fields for a person. Undefined if there are none. Throws for an unknown argument name. */
export const fieldsOf = (
  tool: string,
  { properties }: JsonSchema.JsonSchema,
  wanted: boolean | ReadonlyArray<string>
): ReadonlyArray<Field> | undefined => {
  if (wanted === false) return undefined
  const known = (Predicate.isObject(properties) ? properties : {}) as Readonly<Record<string, Json.Object>>
  return (wanted === true ? Object.keys(known) : wanted).map((name) => {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined
    if (schema === undefined) {
      throw new Mistake(`Tool '${tool}': requiresUserInput names '${name}', which it does not take`)
    }
    const { description } = schema
    return {
      name,
      field_type: typeOf(schema),
      description: typeof description === "string" ? description : null,
      value: null
    }
  })
}

/** The arguments with the supplied values. */
export const fill = (args: Json.Value, fields: ReadonlyArray<Field>): Json.Object => ({
  ...(Predicate.isObject(args) ? args as Json.Object : {}),
  ...Object.fromEntries(fields.flatMap(({ name, value }) => value === null ? [] : [[name, value]]))
})
