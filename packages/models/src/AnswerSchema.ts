// Providers take schemas of answers whose root is one object. Another root becomes the value of a field.
import { Predicate } from "effect"
import type { JsonSchema } from "effect"

const field = "value"

const alternatives = ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"]

const isObjectRoot = (schema: JsonSchema.JsonSchema): boolean =>
  schema["type"] === "object" && alternatives.every((keyword) => schema[keyword] === undefined)

/** References to the root itself lead to its new place. */
const moved = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key !== "$ref" || typeof value !== "string" || !/^#(\/(?!\$defs\/|definitions\/)|$)/.test(value)
        ? value
        : `#/properties/${field}${value.slice(1)}`)
  ) as JsonSchema.JsonSchema

/** The schema as one object. */
export const wrapped = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  if (isObjectRoot(schema)) return schema
  const { $defs, definitions, $schema: _, ...root } = moved(schema)
  return {
    type: "object",
    properties: { [field]: root },
    required: [field],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions })
  }
}

/** What an answer to the schema as one object stands for. Undefined: the answer has not its form. */
export const unwrapped = (schema: JsonSchema.JsonSchema, answer: unknown): unknown =>
  !isObjectRoot(schema) && Predicate.isObject(answer) && Object.keys(answer).join() === field
    ? (answer as Readonly<Record<string, unknown>>)[field]
    : undefined
