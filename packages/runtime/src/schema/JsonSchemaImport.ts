// From a JSON Schema to an Effect Schema that checks what it can. Keywords that Effect Schema has no words for are left
// out of the check; anything else that cannot be read, such as a reference to nothing, throws and says where it is.
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

/** The name under which the root is among the definitions, for schemas that contain themselves. */
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

/** For the schemas of authors only, who are trusted with the time that their patterns take. */
export const toSchema = (schema: JsonSchema.JsonSchema): Schema.Codec<unknown> =>
  Schema.make<Schema.Codec<unknown>>(
    SchemaRepresentation.fromJsonSchemaDocument(documentOf(schema), { patterns: "apply", onEnter: checkable }).ast
  )
