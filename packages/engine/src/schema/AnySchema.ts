// The schemas of authors: Effect Schema, Standard Schema (zod, valibot, arktype, …), or plain JSON Schema. All become
// one `Shape`: a check, and the JSON Schema for models. A Standard Schema without JSON Schema support is rejected when
// the agent is made, not when it runs.
import * as Json from "@svc-runtime/domain/Json"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import {
  Effect,
  JsonSchema,
  Predicate,
  Result,
  Schema,
  SchemaIssue,
  SchemaRepresentation,
  type StandardSchema
} from "effect"
import { isFields, mismatch as mistaken, Mistake } from "../userCode/Mistake.ts"
import * as UserCode from "../userCode/UserCode.ts"
import * as JsonSchemaFault from "./JsonSchemaFault.ts"
import * as RootObject from "./RootObject.ts"

// Converts a JSON Schema to an Effect Schema, as far as it can. Keywords without an equivalent are not checked. Other
// unreadable parts, such as a dangling reference, throw with their path.

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
  const { nullable, type } = schema
  // as schemas of OpenAPI 3.0 say it
  if (nullable === true && type !== undefined) kept["type"] = [...new Set([type, "null"].flat())]
  return kept["$ref"] === "#" ? { ...kept, $ref: `#/$defs/${self}` } : kept
}

const documentOf = (schema: JsonSchema.JsonSchema): JsonSchema.Document<"draft-2020-12"> => {
  const isDraft7 = Predicate.isObject(schema["definitions"]) && !Predicate.isObject(schema["$defs"])
  const document = isDraft7 ? JsonSchema.fromSchemaDraft07(schema) : JsonSchema.fromSchemaDraft2020_12(schema)
  return { ...document, definitions: { ...document.definitions, [self]: document.schema } }
}

/** For schemas of authors only: their patterns are trusted to match in reasonable time. */
const toSchema = (schema: JsonSchema.JsonSchema): Schema.Codec<unknown> =>
  Schema.make<Schema.Codec<unknown>>(
    SchemaRepresentation.fromJsonSchemaDocument(documentOf(schema), { patterns: "apply", onEnter: checkable }).ast
  )

type Standard = StandardSchema.StandardSchemaV1<never, unknown> | StandardSchema.StandardSchemaV1<any, unknown> // oxlint-disable-line typescript/no-explicit-any -- only `any` accepts every input type

export type AnySchema = Schema.ConstraintDecoder<unknown> | Standard

export type Infer<S> = S extends { readonly Type: infer A } ? A
  : S extends StandardSchema.StandardSchemaV1<infer _, infer A> ? A
  : never

export class Mismatch extends Schema.TaggedError<Mismatch>()("Mismatch", {
  issues: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
    message: Schema.String
  })),
  /** The check exceeded its budget, so it is unknown whether the value matches. */
  isUnfinished: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.issues
      .map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`)
      .join("; ")
  }
}

export interface Shape<A> {
  /** Its title or identifier. */
  readonly title: string | undefined
  readonly jsonSchema: JsonSchema.JsonSchema
  /** Takes the JSON that `jsonSchema` describes. A check that throws is a mismatch too. */
  readonly decode: (input: unknown) => Effect.Effect<A, Mismatch>
}

const isJson = Schema.is(Json.Storable)

/** What the schema makes of the input: with defaults, and without what it leaves out. Only JSON can be stored. */
export const decodeJson = (shape: Shape<unknown>, input: Json.Value): Effect.Effect<Json.Value, Mismatch> =>
  Effect.map(shape.decode(input), (decoded) => isJson(decoded) ? decoded : input)

const target = "draft-2020-12"

const issueOf = (issue: StandardSchema.StandardSchemaV1.Issue) => ({
  path: (issue.path ?? []).map((segment) => {
    const key = Predicate.isObject(segment) && "key" in segment ? segment.key : segment
    return Predicate.isNumber(key) ? key : String(key)
  }),
  message: issue.message
})

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const mismatch = (issues: ReadonlyArray<StandardSchema.StandardSchemaV1.Issue>) =>
  new Mismatch({ issues: issues.map(issueOf) })

const unfinished = (limit: string) =>
  new Mismatch({
    issues: [{
      path: [],
      message: `The check against the schema takes more than ${limit}. Use fewer alternatives that contain each other`
    }],
    isUnfinished: true
  })

/**
 * Fails if a check of the input would take too long. An author's check cannot be stopped, so its steps are counted
 * before, on its JSON Schema.
 */
const withinBudget = <A>(jsonSchema: JsonSchema.JsonSchema, decode: Shape<A>["decode"]): Shape<A>["decode"] => {
  const check = Result.getOrUndefined(Result.try(() => JsonSchemaCheck.make(jsonSchema, { isExhaustive: true })))
  if (check === undefined) return decode
  return (input) =>
    Effect.suspend(() => {
      const verdict = check(input)
      return verdict._tag === "Exceeded" ? Effect.fail(unfinished(verdict.limit)) : decode(input)
    })
}

const broken = (thrown: UserCode.UserError) => mismatch([{ message: UserCode.messageOf(thrown, "The check failed") }])

const titleOf = (schema: JsonSchema.JsonSchema): string | undefined => {
  const title = schema["title"]
  return Predicate.isString(title) && title !== "" ? title : undefined
}

const decoderOf = <A>(schema: Schema.ConstraintDecoder<A>): Shape<A>["decode"] => {
  // The JSON Schema describes this codec, not the schema itself: dates are text, and optional keys can be null.
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(schema), { errors: "all" })
  return (input) =>
    Effect.mapError(
      UserCode.call(() => decode(input)),
      (thrown) => Schema.isSchemaError(thrown.cause) ? mismatch(toIssues(thrown.cause.issue).issues) : broken(thrown)
    )
}

const fromEffect = <A>(schema: Schema.ConstraintDecoder<A>): Shape<A> => {
  const document = Schema.toJsonSchemaDocument(schema)
  const hasDefinitions = Object.keys(document.definitions).length > 0
  const jsonSchema = RootObject.of(
    hasDefinitions ? { ...document.schema, $defs: document.definitions } : document.schema
  )
  const identifier = schema.ast.annotations?.["identifier"]
  return {
    title: titleOf(jsonSchema) ?? (Predicate.isString(identifier) ? identifier : undefined),
    jsonSchema,
    decode: withinBudget(jsonSchema, decoderOf(schema))
  }
}

const isDescribed = <A>(
  schema: StandardSchema.StandardSchemaV1<unknown, A>
): schema is StandardSchema.StandardSchemaV1<unknown, A> & StandardSchema.StandardJSONSchemaV1<unknown, A> =>
  Predicate.hasProperty(schema["~standard"], "jsonSchema")

/** What describes schemas of libraries whose own do not. */
const describing: Readonly<Record<string, string>> = {
  valibot: "toStandardJsonSchema(schema) of @valibot/to-json-schema",
  zod: `zod 4.2 or later, imported from "zod"`
}

const fromStandard = <A>(schema: StandardSchema.StandardSchemaV1<unknown, A>): Shape<A> => {
  const standard = schema["~standard"]
  if (!isDescribed(schema)) {
    throw new Mistake(
      `This ${standard.vendor} schema cannot describe itself as JSON Schema. Use ${
        describing[standard.vendor] ?? `a version of ${standard.vendor} that supports Standard JSON Schema`
      }, an Effect Schema, or give the JSON Schema itself.`
    )
  }
  const jsonSchema = RootObject.of(schema["~standard"].jsonSchema.input({ target }))
  return {
    title: titleOf(jsonSchema),
    jsonSchema,
    decode: withinBudget(jsonSchema, (input) =>
      UserCode.call(() => standard.validate(input)).pipe(
        Effect.mapError(broken),
        Effect.flatMap((result) =>
          result.issues === undefined ? Effect.succeed(result.value) : Effect.fail(mismatch(result.issues))
        )
      ))
  }
}

/** The JSON Schema of a caller. A dangling reference throws. */
export const fromJsonSchema = (jsonSchema: JsonSchema.JsonSchema): Shape<unknown> => {
  const check = JsonSchemaCheck.make(jsonSchema)
  return {
    title: titleOf(jsonSchema),
    jsonSchema,
    decode: (input) =>
      Effect.suspend(() => {
        const verdict = check(input)
        if (verdict._tag === "Exceeded") return Effect.fail(unfinished(verdict.limit))
        return verdict.issues.length === 0 ? Effect.succeed(input) : Effect.fail(mismatch(verdict.issues))
      })
  }
}

/** The JSON Schema of an author, checked as far as Effect Schema can express it. An invalid one throws. */
const fromAuthor = (given: JsonSchema.JsonSchema): Shape<unknown> => {
  const jsonSchema = RootObject.of(given)
  return { title: titleOf(jsonSchema), jsonSchema, decode: withinBudget(jsonSchema, decoderOf(toSchema(jsonSchema))) }
}

const shapes = new WeakMap<object, Shape<unknown>>()

/** Made once per schema, because describing one is expensive. */
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
  Schema.isSchema(value) || Predicate.hasProperty(value, "~standard")

/** The shape of any author's schema. */
export const authored = (schema: AnySchema | JsonSchema.JsonSchema): Shape<unknown> =>
  isAnySchema(schema) ? shapeOf(schema) : fromAuthor(schema as JsonSchema.JsonSchema)

const atPlace = "\n  at ["

/** What Effect says of a JSON Schema that it cannot read: a reason, and the place in the document. */
const unreadable = (message: string): { readonly reason: string; readonly place: string } => {
  const at = message.endsWith("]") ? message.lastIndexOf(atPlace) : -1
  return at < 0
    ? { reason: message, place: "" }
    : { reason: message.slice(0, at), place: message.slice(at + atPlace.length, -1) }
}

/** The fields on the way to a place of a JSON Schema. */
const fieldsTo = (place: string): string => {
  const keys: ReadonlyArray<unknown> = Result.getOrElse(
    Result.try(() => JSON.parse(`[${place.replaceAll("][", ",")}]`)),
    () => []
  )
  return keys.filter((_, index) => keys[index - 1] === "properties" && keys[index - 2] !== "properties").join(".")
}

const patterns = "patternProperties are only read if there is one pattern, no properties beside it, and " +
  "additionalProperties: false. Name the keys in properties, or give the schema of all others in additionalProperties"

const messageOf = (cause: unknown): string => {
  const { reason } = unreadable(Predicate.isError(cause) ? cause.message : String(cause))
  return /open "patternProperties"|closed patterned object/.test(reason) ? patterns : reason
}

const fieldsOf = (schema: unknown): ReadonlyArray<readonly [name: string, schema: unknown]> => {
  if (!Predicate.hasProperty(schema, "shape") || !Predicate.isObject(schema.shape)) return []
  return Object.entries(schema.shape)
}

/** The field that cannot be described, for libraries whose objects show their fields. */
const brokenField = (schema: unknown): string | undefined => {
  for (const [name, field] of fieldsOf(schema)) {
    if (!isAnySchema(field)) continue
    const described = Result.try(() => shapeOf(field))
    if (Result.isSuccess(described)) continue
    const inner = brokenField(field)
    return inner === undefined ? name : `${name}.${inner}`
  }
  return undefined
}

/** Keywords whose value is a schema. With nothing else beside them, they are no fields. */
const schemaKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedProperties"
])

/** Keywords of a JSON Schema. A map of fields has none of them, or a field with such a name. */
const keywords = [
  "type",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "$defs",
  "title",
  "description",
  "not"
]

const isOldZod = (value: unknown): boolean =>
  Predicate.hasProperty(value, "_def") && Predicate.hasProperty(value, "safeParse") &&
  Predicate.isFunction(value.safeParse)

const isFieldMap = (schema: object): boolean => {
  const fields = Object.entries(schema)
  if (fields.length === 0) return false
  if (fields.every(([name, value]) => !JsonSchemaFault.isKeyword(name) && Predicate.isString(value))) return true
  if (fields.some(([, value]) => isAnySchema(value) || isOldZod(value))) return !("~standard" in schema)
  if (fields.every(([name]) => schemaKeywords.has(name))) return false
  const isNamed = fields.every(([name, value]) => Predicate.isObject(value) || !keywords.includes(name))
  return isNamed && fields.every(([, value]) => Predicate.hasProperty(value, "type") && Predicate.isString(value.type))
}

/** What is neither a schema nor a JSON Schema. */
export const refuseNoSchema = (owner: string, schema: unknown): void => {
  if (!isFields(schema)) throw mistaken(owner, "a schema", schema, "Write z.object({ … }), or a JSON Schema")
  if (isOldZod(schema)) {
    throw new Mistake(`${owner} must be a schema, and it is a schema of an old zod. Use zod 4.2 or later`)
  }
  if (!isFieldMap(schema)) return
  const names = Object.keys(schema).join(", ")
  throw new Mistake(
    `${owner} must be a schema, and it is a map of fields (${names}). Write z.object({ … }) around the fields, or ` +
      "{ type: \"object\", properties: { … } } if they are JSON Schemas"
  )
}

const undescribed = (owner: string, reader: string, field: string, reason: string, cause?: unknown): Mistake =>
  new Mistake(`${owner} cannot be described to ${reader}${field === "" ? "" : ` (field '${field}')`}. ${reason}`, {
    cause
  })

const refuseFaults = (owner: string, schema: unknown, reader: string): void => {
  refuseNoSchema(owner, schema)
  const fault = JsonSchemaFault.of(schema)
  if (fault !== undefined) throw undescribed(owner, reader, fault.fields.join("."), fault.reason)
}

/** Zod says only that it cannot. */
const reasonOf = (failure: unknown): string => {
  const reason = messageOf(failure)
  return /\bDate cannot be represented/.test(reason)
    ? `${reason}. JSON has dates as texts: write z.iso.datetime() or z.iso.date()`
    : reason
}

/** The shape of an author's schema. A mistake in it names its owner and the field. */
export const authoredFor = (
  owner: string,
  schema: AnySchema | JsonSchema.JsonSchema,
  reader = "a model"
): Shape<unknown> => {
  if (!isAnySchema(schema)) refuseFaults(owner, schema, reader)
  const described = Result.try(() => authored(schema))
  if (Result.isSuccess(described)) return described.success
  const field = brokenField(schema) ?? fieldsTo(unreadable(String(described.failure)).place)
  throw undescribed(owner, reader, field, reasonOf(described.failure), described.failure)
}

/** The shape of a schema that has to be one object, and why it has to be one. */
export const objectOrRefused = (
  owner: string,
  schema: AnySchema | JsonSchema.JsonSchema,
  reason: string,
  reader = "a model"
): Shape<unknown> => {
  if (!isAnySchema(schema)) refuseFaults(owner, schema, reader)
  const root = isAnySchema(schema) ? schema : RootObject.expected(schema as JsonSchema.JsonSchema)
  // its check has to refuse what is no object
  const isOpen = !isAnySchema(root) && RootObject.problemOf(root) === undefined
  const shape = authoredFor(owner, isOpen ? RootObject.declared(root) : root, reader)
  const problem = RootObject.problemOf(shape.jsonSchema)
  if (problem === undefined) return { ...shape, jsonSchema: RootObject.declared(shape.jsonSchema) }
  throw new Mistake(`${owner} must be one object, because ${reason}. It is ${problem}`)
}
