// Converts a JSON Schema to an Effect Schema, as far as it can. Keywords without an equivalent are not checked. Other
// unreadable parts, such as a dangling reference, throw with their path.
import { JsonSchema, Predicate, Schema, SchemaRepresentation } from "effect"

const unchecked: ReadonlySet<string> = new Set([
  "$anchor",
  "$dynamicRef",
  "$id",
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "maxContains",
  "minContains",
  "not",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** The name of the root among the definitions, for recursive schemas. */
const self = "(root)"

const checkable = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const kept: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (!unchecked.has(keyword)) kept[keyword] = value
  }
  return kept["$ref"] === "#" ? { ...kept, $ref: `#/$defs/${self}` } : kept
}

const documentOf = (schema: JsonSchema.JsonSchema): JsonSchema.Document<"draft-2020-12"> => {
  const isDraft7 = Predicate.isObject(schema["definitions"]) && !Predicate.isObject(schema["$defs"])
  const document = isDraft7 ? JsonSchema.fromSchemaDraft07(schema) : JsonSchema.fromSchemaDraft2020_12(schema)
  return { ...document, definitions: { ...document.definitions, [self]: document.schema } }
}

/** For schemas of authors only: their patterns are trusted to match in reasonable time. */
export const toSchema = (schema: JsonSchema.JsonSchema): Schema.Codec<unknown> =>
  Schema.make<Schema.Codec<unknown>>(
    SchemaRepresentation.fromJsonSchemaDocument(documentOf(schema), { patterns: "apply", onEnter: checkable }).ast
  )
