// The values that a person enters before a step. The author describes them with a schema, and people see a field for
// each of its properties, with the types of the wire.
import * as Json from "@svc-runtime/domain/Json"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { type AnySchema, authoredFor, type Infer, type Mismatch } from "@svc-runtime/engine/schema/AnySchema"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type { Effect, JsonSchema } from "effect"
import * as Pause from "./Pause.ts"

export type InputSchema = AnySchema | JsonSchema.JsonSchema

/** What a step finds in `input.userInput`. */
export type ValuesOf<S> = S extends AnySchema ? Infer<S> : S extends undefined ? undefined : Json.Object

export interface Options<S extends InputSchema> extends Pause.Options {
  /**
   * An object of texts, numbers, booleans and choices: zod, another Standard Schema, Effect Schema or JSON Schema.
   * People see the descriptions and defaults of its fields, and can leave out optional ones.
   */
  readonly schema: S
}

export interface UserInput extends Pause.Pause {
  readonly fields: ReadonlyArray<StepRequirement.InputField>
  /** The values as the step gets them. */
  readonly decode: (entered: Json.Object) => Effect.Effect<unknown, Mismatch>
}

interface Field {
  readonly shown: StepRequirement.InputField
  /** Without a value, the schema gets null. */
  readonly isNull: boolean
}

const listIn = (schema: Json.Object, key: string): ReadonlyArray<Json.Object> => {
  const list = schema[key]
  return Array.isArray(list) ? list.filter((item) => Json.isObject(item)) : []
}

const isNull = ({ type }: Json.Object): boolean => type === "null"

/** Without references, and without a null among its alternatives. */
const plainOf = (
  schema: Json.Object,
  definitions: Json.Value | undefined
): { readonly schema: Json.Object; readonly isNullable: boolean } => {
  const { $ref: reference, ...rest } = schema
  if (typeof reference === "string" && Json.isObject(definitions)) {
    const found = definitions[reference.slice(reference.lastIndexOf("/") + 1)]
    if (Json.isObject(found)) return plainOf({ ...found, ...rest }, definitions)
  }
  const { allOf: _, anyOf: __, oneOf: ___, ...own } = schema
  const all = listIn(schema, "allOf")
  if (all.length > 0) return plainOf(Object.assign({}, ...all, own) as Json.Object, definitions)
  const alternatives = [...listIn(schema, "anyOf"), ...listIn(schema, "oneOf")]
  if (alternatives.length === 0) {
    const { type } = schema
    const types = Array.isArray(type) ? type.filter((each) => each !== "null") : []
    return types.length === 1
      ? { schema: { ...schema, type: types[0] ?? null }, isNullable: true }
      : { schema, isNullable: false }
  }
  const others = alternatives.filter((each) => !isNull(each)).map((each) => plainOf(each, definitions).schema)
  const isNullable = others.length < alternatives.length
  const [only] = others
  if (only !== undefined && others.length === 1) return { schema: { ...only, ...own }, isNullable }
  const values = others.flatMap((each) => "const" in each ? [each["const"] ?? null] : listOf(each["enum"]))
  const areValues = others.every((each) => "const" in each || "enum" in each)
  return { schema: areValues ? { ...own, enum: values } : schema, isNullable }
}

const listOf = (value: Json.Value | undefined): ReadonlyArray<Json.Value> => Array.isArray(value) ? value : []

const types: Readonly<Record<string, StepRequirement.FieldType>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool"
}

const typeOfValue = (value: Json.Value): StepRequirement.FieldType | undefined =>
  Number.isInteger(value) ? "int" : types[typeof value]

const typeOf = ({ type }: Json.Object, allowed: ReadonlyArray<Json.Value>): StepRequirement.FieldType | undefined => {
  if (typeof type === "string") return types[type]
  const found = new Set(allowed.map(typeOfValue))
  const [only] = found
  if (found.size === 1) return only
  return found.size === 2 && found.has("int") && found.has("float") ? "float" : undefined
}

const fieldOf = (
  owner: string,
  name: string,
  given: Json.Object,
  { $defs: definitions, required }: Json.Object
): Field => {
  const { isNullable, schema } = plainOf(given, definitions)
  const allowed = "const" in schema ? [schema["const"] ?? null] : listOf(schema["enum"])
  const type = typeOf(schema, allowed)
  if (type === undefined) {
    throw new Mistake(
      `${owner}: userInput can have texts, numbers, booleans and choices of these, and '${name}' is another`
    )
  }
  const { default: value, description } = schema
  const isRequired = listOf(required).includes(name)
  const shown = {
    name,
    field_type: type,
    description: typeof description === "string" ? description : null,
    value: value ?? null,
    required: isRequired && !isNullable,
    ...(allowed.length === 0 ? {} : { allowed_values: allowed })
  }
  return { shown, isNull: isRequired && isNullable }
}

/** Clients send null for a field that was left empty. */
const enteredIn = (fields: ReadonlyArray<Field>, entered: Json.Object): Json.Object =>
  Object.fromEntries(fields.flatMap(({ isNull, shown: { name } }) => {
    const value = entered[name] ?? null
    return value !== null || isNull ? [[name, value] as const] : []
  }))

export const make = (owner: string, options: Options<InputSchema> | undefined): UserInput | undefined => {
  const pause = Pause.make(owner, options, "userInput")
  if (options === undefined || pause === undefined) return undefined
  const { decode, jsonSchema } = authoredFor(`${owner}: its userInput`, options.schema, "a person")
  const schema = jsonSchema as Json.Object
  const properties = schema["properties"]
  const fields = Json.isObject(properties)
    ? Object.entries(properties).map(([name, each]) => fieldOf(owner, name, Json.isObject(each) ? each : {}, schema))
    : []
  if (fields.length === 0) throw new Mistake(`${owner}: the schema of userInput has to be an object with fields`)
  return {
    ...pause,
    fields: fields.map(({ shown }) => shown),
    decode: (entered) => decode(enteredIn(fields, entered))
  }
}
