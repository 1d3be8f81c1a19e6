// The schemas that people who write agents may bring: Effect Schema, anything that follows Standard Schema (zod, valibot,
// arktype, …), or a plain JSON Schema. All become one `Shape`: a check, and the JSON Schema that models are shown.
//
// A Standard Schema that cannot describe itself as JSON Schema is refused when the agent is made, not when it runs.
import {
  Effect,
  JsonSchema,
  Predicate,
  Schema,
  SchemaIssue,
  SchemaRepresentation,
  type StandardSchema
} from "effect"

type Standard = StandardSchema.StandardSchemaV1<never, unknown> | StandardSchema.StandardSchemaV1<any, unknown> // oxlint-disable-line typescript/no-explicit-any -- only `any` accepts every input type

export type AnySchema = Schema.ConstraintDecoder<unknown> | Standard

export type Infer<S> = S extends { readonly Type: infer A } ? A
  : S extends StandardSchema.StandardSchemaV1<infer _, infer A> ? A
  : never

export class Mismatch extends Schema.TaggedError<Mismatch>()("Mismatch", {
  issues: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
    message: Schema.String
  }))
}) {
  override get message() {
    return this.issues
      .map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`)
      .join("; ")
  }
}

export interface Shape<A> {
  /** What to call it: its title or identifier. */
  readonly title: string | undefined
  readonly jsonSchema: JsonSchema.JsonSchema
  readonly decode: (input: unknown) => Effect.Effect<A, Mismatch>
}

const target = "draft-2020-12"

const issueOf = (issue: StandardSchema.StandardSchemaV1.Issue) => ({
  path: (issue.path ?? []).map((segment) => {
    const key = Predicate.isObject(segment) && "key" in segment ? segment.key : segment
    return Predicate.isNumber(key) ? key : String(key)
  }),
  message: issue.message
})

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Providers want the root to be the object itself: a root that only refers to a definition is replaced by it. */
const inlineRoot = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { $schema: _, ...rest } = schema
  const definitions = rest["$defs"]
  const reference = rest["$ref"]
  if (!Predicate.isString(reference) || !Predicate.isObject(definitions)) return rest
  const name = reference.replace("#/$defs/", "")
  const root = (definitions as Record<string, JsonSchema.JsonSchema>)[name]
  if (root === undefined) return rest
  const others = Object.entries(definitions).filter(([key]) => key !== name)
  const isRecursive = JSON.stringify(definitions).includes(JSON.stringify(reference))
  return isRecursive
    ? { ...root, $defs: definitions }
    : others.length === 0
    ? root
    : { ...root, $defs: Object.fromEntries(others) }
}

const titleOf = (schema: JsonSchema.JsonSchema): string | undefined =>
  Predicate.isString(schema["title"]) ? schema["title"] : undefined

const fromEffect = <A>(schema: Schema.ConstraintDecoder<A>): Shape<A> => {
  const document = Schema.toJsonSchemaDocument(schema)
  const hasDefinitions = Object.keys(document.definitions).length > 0
  const jsonSchema = inlineRoot(
    hasDefinitions ? { ...document.schema, $defs: document.definitions } : document.schema
  )
  const decode = Schema.decodeUnknownEffect(schema)
  const identifier = schema.ast.annotations?.["identifier"]
  return {
    title: titleOf(jsonSchema) ?? (Predicate.isString(identifier) ? identifier : undefined),
    jsonSchema,
    decode: (input) =>
      Effect.mapError(decode(input), (error) => new Mismatch({ issues: toIssues(error.issue).issues.map(issueOf) }))
  }
}

const fromStandard = <A>(schema: StandardSchema.StandardSchemaV1<unknown, A>): Shape<A> => {
  const standard = schema["~standard"]
  if (!Predicate.hasProperty(standard, "jsonSchema")) {
    throw new Error(
      `This ${standard.vendor} schema cannot describe itself as JSON Schema. Use a version of ${standard.vendor} ` +
        "that supports Standard JSON Schema, an Effect Schema, or give the JSON Schema itself."
    )
  }
  const described = schema as unknown as StandardSchema.StandardJSONSchemaV1<unknown, A>
  const jsonSchema = inlineRoot(described["~standard"].jsonSchema.input({ target }))
  const check = (result: StandardSchema.StandardSchemaV1.Result<A>) =>
    result.issues === undefined
      ? Effect.succeed(result.value)
      : Effect.fail(new Mismatch({ issues: result.issues.map(issueOf) }))
  return {
    title: titleOf(jsonSchema),
    jsonSchema,
    decode: (input) =>
      Effect.suspend(() => {
        const result = standard.validate(input)
        return Predicate.isPromise(result) ? Effect.flatMap(Effect.promise(() => result), check) : check(result)
      })
  }
}

/** A JSON Schema as it is. What it says is checked as far as Effect Schema can say the same. */
export const fromJsonSchema = (jsonSchema: JsonSchema.JsonSchema): Shape<unknown> => {
  const schema = Schema.make<Schema.Codec<unknown>>(
    SchemaRepresentation.fromJsonSchemaDocument(JsonSchema.fromSchemaDraft2020_12(jsonSchema)).ast
  )
  return { ...fromEffect(schema), title: titleOf(jsonSchema), jsonSchema }
}

const shapes = new WeakMap<object, Shape<unknown>>()

/** Made once per schema: describing one costs more than a request should. */
export const shapeOf = <const S extends AnySchema>(schema: S): Shape<Infer<S>> => {
  const known = shapes.get(schema)
  if (known !== undefined) return known as Shape<Infer<S>>
  const shape: Shape<unknown> = Schema.isSchema(schema)
    ? fromEffect(schema as Schema.ConstraintDecoder<unknown>)
    : fromStandard(schema as StandardSchema.StandardSchemaV1<unknown, unknown>)
  shapes.set(schema, shape)
  return shape as Shape<Infer<S>>
}

export const isAnySchema = (value: unknown): value is AnySchema =>
  Schema.isSchema(value) || (Predicate.hasProperty(value, "~standard"))
