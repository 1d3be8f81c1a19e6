// A form for values of a person, made from a JSON Schema of an object. It serves the arguments of tools, the questions
// of functions and of MCP servers, and the values of steps.
import * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import * as JsonSchemaCheck from "@svc-runtime/domain/schema/JsonSchemaCheck"
import { resolve } from "@svc-runtime/domain/schema/JsonSchemaReferences"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { flow, type JsonSchema, Option, Result, Schema } from "effect"
import { Mistake } from "../userCode/Mistake.ts"

export const Field = Schema.Struct({
  ...StepRequirement.InputField.fields,
  value: Schema.NullOr(Schema.Json),
  /** False: the person may leave it out. */
  required: Schema.optionalKey(Schema.Boolean)
})
export type Field = typeof Field.Type

/** Of a stored form. Undefined if it is none. */
export const fieldsIn: (form: unknown) => ReadonlyArray<Field> | undefined = flow(
  Schema.decodeUnknownOption(Schema.Array(Field)),
  Option.getOrUndefined
)

/** Clients can send every value as a text: one for a field without texts is read as JSON. */
export const read = ({ field_type }: Field, value: Json.Value): Json.Value =>
  field_type !== "str" && typeof value === "string" ? Option.getOrElse(Json.parseInput(value), () => value) : value

const listOf = (value: Json.Value | undefined): ReadonlyArray<Json.Value> => Json.isList(value) ? value : []

const objectsIn = (value: Json.Value | undefined): ReadonlyArray<Json.Object> =>
  listOf(value).filter((each) => Json.isObject(each))

/** A property without references, as its alternatives. */
interface Plain {
  /** What the property says about itself, whichever alternative is chosen. */
  readonly own: Json.Object
  /** Without null. */
  readonly alternatives: ReadonlyArray<Json.Object>
  readonly isNullable: boolean
}

/** References that are followed for a property. Definitions that refer to each other have no end of ways. */
const maxReferences = 1000

/** Alternatives within alternatives. */
const maxDepth = 200

interface Following {
  readonly seen: ReadonlyArray<string>
  readonly followed: { count: number }
  readonly depth: number
}

/** `seen`: the references that led here. A schema that is only itself has no end. */
const plainOf = (
  given: Json.Object,
  root: Json.Object,
  { depth, followed, seen }: Following = { seen: [], followed: { count: 0 }, depth: 0 }
): Plain => {
  const { $ref: reference, ...schema } = given
  if (depth > maxDepth) return { own: schema, alternatives: [schema], isNullable: false }
  const inside = { seen, followed, depth: depth + 1 }
  if (typeof reference === "string" && !seen.includes(reference) && followed.count < maxReferences) {
    followed.count++
    const found = Result.getOrUndefined(Result.try(() => resolve(root, reference)))
    const target = typeof found === "object" ? found as Json.Object : {}
    return plainOf({ ...target, ...schema }, root, { ...inside, seen: [...seen, reference] })
  }
  const { allOf, anyOf, oneOf, ...own } = schema
  const all = objectsIn(allOf)
  if (all.length > 0) {
    const rest = { ...own, ...(anyOf === undefined ? {} : { anyOf }), ...(oneOf === undefined ? {} : { oneOf }) }
    return plainOf(Object.assign({}, ...all, rest) as Json.Object, root, inside)
  }
  const chosen = [...objectsIn(anyOf), ...objectsIn(oneOf)]
  if (chosen.length > 0) {
    const inner = chosen.map((each) => plainOf(each, root, inside))
    const others = inner.filter((each) => each.alternatives.length > 0)
    return {
      own: others.length === 1 ? { ...others[0]?.own, ...own } : own,
      alternatives: others.flatMap((each) => each.alternatives.map((alternative) => ({ ...own, ...alternative }))),
      isNullable: inner.some(({ isNullable }) => isNullable)
    }
  }
  const { enum: values, type } = own
  const types = Json.isList(type) ? type : type === undefined ? [] : [type]
  const isNull = types.length > 0 && types.every((each) => each === "null")
  const isNullable = own["nullable"] === true || types.includes("null") || listOf(values).includes(null) ||
    own["const"] === null
  if (isNull || own["const"] === null) return { own, alternatives: [], isNullable }
  const kept = Json.isList(values) ? { enum: values.filter((value) => value !== null) } : {}
  const others = types.filter((each) => each !== "null")
  const alternatives = others.length < 2
    ? [{ ...own, ...kept, ...(others[0] === undefined ? {} : { type: others[0] }) }]
    : others.map((each) => ({ ...own, ...kept, type: each }))
  return { own: alternatives[0] ?? own, alternatives, isNullable }
}

const constantsOf = (schema: Json.Object): ReadonlyArray<Json.Value> | undefined =>
  schema["const"] === undefined ? (Json.isList(schema["enum"]) ? schema["enum"] : undefined) : [schema["const"]]

/** Of a choice, with titles or without. Undefined: some alternative is no constant. */
const allowedOf = ({ alternatives }: Plain): ReadonlyArray<Json.Value> | undefined => {
  const constants = alternatives.map(constantsOf)
  return constants.length === 0 || constants.includes(undefined)
    ? undefined
    : [...new Set(constants.flatMap((values) => values ?? []))]
}

const types: ReadonlyMap<unknown, Field["field_type"]> = new Map([
  ["string", "str"],
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["array", "list"],
  ["object", "dict"]
])

const typeOfValue = (value: Json.Value): Field["field_type"] =>
  Number.isInteger(value) ? "int" : Json.isList(value) ? "list" : types.get(typeof value) ?? "str"

const typesOf = (schema: Json.Object): ReadonlyArray<Field["field_type"]> =>
  constantsOf(schema)?.map(typeOfValue) ?? [types.get(schema["type"]) ?? "str"]

/** A field of several types is a text: the values of the others can be sent as they are. */
const typeOf = ({ alternatives }: Plain): Field["field_type"] => {
  const found = new Set(alternatives.flatMap(typesOf))
  const [only = "str"] = found
  if (found.size < 2) return only
  return found.size === 2 && found.has("int") && found.has("float") ? "float" : "str"
}

const descriptionOf = ({ alternatives, own: { description, items, title } }: Plain): string | null => {
  const ofItems = Json.isObject(items) ? objectsIn(items["anyOf"]) : []
  const titled = [...alternatives.length > 1 ? alternatives : [], ...ofItems].flatMap((option) =>
    typeof option["title"] === "string" && option["const"] !== undefined
      ? [`${JSON.stringify(option["const"])}: ${option["title"]}`]
      : []
  )
  const parts = [title, description, titled.join(", ")].filter((part) => typeof part === "string" && part !== "")
  return parts.length === 0 ? null : parts.join(". ")
}

interface Property {
  readonly name: string
  readonly schema: Json.Object
  readonly plain: Plain
  readonly isRequired: boolean
}

const propertiesOf = (root: Json.Object): ReadonlyArray<Property> => {
  const required = listOf(root["required"])
  return Object.entries(Json.isObject(root["properties"]) ? root["properties"] : {}).map(([name, given]) => {
    const schema = Json.isObject(given) ? given : {}
    return { name, schema, plain: plainOf(schema, root), isRequired: required.includes(name) }
  })
}

const fieldOf = ({ isRequired, name, plain }: Property): StepRequirement.InputField => {
  const allowed = allowedOf(plain)
  return {
    name,
    field_type: typeOf(plain),
    description: descriptionOf(plain),
    value: plain.own["default"] ?? null,
    required: isRequired && !plain.isNullable,
    ...(allowed === undefined ? {} : { allowed_values: allowed })
  }
}

/** A field for each property. What may be null may be left out. */
export const fieldsOf = (schema: Json.Object): ReadonlyArray<StepRequirement.InputField> =>
  propertiesOf(schema).map(fieldOf)

/**
 * The fields for the arguments of a tool that a person supplies: all, or the named ones. Undefined if there are none.
 * Throws for an unknown argument name.
 */
export const argumentsOf = (
  tool: string,
  parameters: JsonSchema.JsonSchema,
  wanted: boolean | ReadonlyArray<string>
): ReadonlyArray<Field> | undefined => {
  if (wanted === false) return undefined
  const known = new Map(fieldsOf(parameters as Json.Object).map((field) => [field.name, field]))
  return (wanted === true ? [...known.keys()] : wanted).map((name) => {
    const field = known.get(name)
    if (field === undefined) {
      const taken = known.size === 0 ? "no parameters" : NameList.all([...known.keys()])
      throw new Mistake(`Tool '${tool}': requiresUserInput names '${name}', which it does not take. It takes ${taken}`)
    }
    const { required, ...rest } = field
    // a default would replace what the model has given
    return { ...rest, value: null, ...(required ? {} : { required }) }
  })
}

/** The arguments with the supplied values. */
export const fill = (args: Json.Value, fields: ReadonlyArray<Field>): Json.Object => ({
  ...(Json.isObject(args) ? args : {}),
  ...Object.fromEntries(fields.flatMap(({ name, value }) => value === null ? [] : [[name, value]]))
})

/** The name of the only field of a form whose values are no object. */
export const single = "answer"

/** A form with one field, for a schema of anything. */
export const ofSingle = ({ $defs, definitions, ...schema }: Json.Object): Json.Object => ({
  type: "object",
  properties: { [single]: schema },
  required: [single],
  ...($defs === undefined ? {} : { $defs }),
  ...(definitions === undefined ? {} : { definitions })
})

/** Why a value does not fit the schema. Undefined: it fits. */
export const problemIn = (schema: Json.Object, value: Json.Value): string | undefined => {
  const check = Result.getOrUndefined(Result.try(() => JsonSchemaCheck.make(schema)))
  const verdict = check?.(value)
  if (verdict === undefined) return undefined
  if (verdict._tag === "Exceeded") return `the check against the schema takes more than ${verdict.limit}`
  const [issue] = verdict.issues
  return issue === undefined ? undefined : [...issue.path, issue.message].join(": ")
}

/** Clients can send every value as a text: one that does not fit is read as JSON. */
const valueOf = ({ plain, schema }: Property, root: Json.Object, value: Json.Value): Json.Value => {
  if (typeof value !== "string") return value
  const { $defs = {}, definitions = {} } = root
  const fits = (each: Json.Value) => problemIn({ $defs, definitions, ...schema }, each) === undefined
  if (fits(value)) return value
  const read = Option.getOrElse(Json.parseInput(value), () => value)
  return typeOf(plain) !== "str" || fits(read) ? read : value
}

/** The values as the schema means them. Null is no value: it stays for a property that has to be there. */
export const valuesOf = (schema: Json.Object, values: Json.Object): Json.Object => {
  const properties = new Map(propertiesOf(schema).map((property) => [property.name, property]))
  const given = Object.entries(values).flatMap(([name, value]) => {
    const property = properties.get(name)
    return value === null ? [] : [[name, property === undefined ? value : valueOf(property, schema, value)] as const]
  })
  const nulls = [...properties.values()].flatMap(({ isRequired, name, plain }) =>
    isRequired && plain.isNullable ? [[name, null] as const] : []
  )
  return Object.fromEntries([...nulls, ...given])
}
