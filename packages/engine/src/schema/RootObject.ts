// What stands for one object at the root of a JSON Schema is replaced by this object: references, and compositions of
// one part. Models, forms and callers name its fields, and providers take no other root.
import { own, resolve } from "@svc-runtime/domain/schema/JsonSchemaReferences"
import { type JsonSchema, Predicate, Result } from "effect"

type Node = JsonSchema.JsonSchema

/** They describe: of two, that of the place where a schema is used counts. */
const descriptive: ReadonlySet<string> = new Set([
  "$comment",
  "default",
  "deprecated",
  "description",
  "examples",
  "title"
])

/** Maps whose keys are names. */
const maps: ReadonlySet<string> = new Set(["$defs", "definitions", "properties"])

const places = ["$defs", "definitions"]

/** Definitions that refer to each other have no end of ways. */
const maxParts = 1000

const isNode = (value: unknown): value is Node => Predicate.isObject(value)

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

const keysOf = (value: unknown): ReadonlyArray<string> => isNode(value) ? Object.keys(value) : []

/** Other keys than its own are not free. */
const isClosed = (schema: Node): boolean =>
  ["additionalProperties", "unevaluatedProperties"].some((keyword) => {
    const others = schema[keyword]
    return others !== undefined && others !== true && !(isNode(others) && Object.keys(others).length === 0)
  })

const addsFields = (schema: Node, other: Node): boolean =>
  keysOf(other["properties"]).some((name) => !keysOf(schema["properties"]).includes(name))

/** Two maps that agree where both have a key. */
const mapOf = (left: unknown, right: unknown): Node | undefined =>
  isNode(left) && isNode(right) &&
    keysOf(left).every((key) => !Object.hasOwn(right, key) || isSame(left[key], right[key]))
    ? { ...left, ...right }
    : undefined

/** One schema for what both demand. Undefined: there is none, or it is not looked for. */
const both = (outer: Node, inner: Node): Node | undefined => {
  if (isClosed(outer) && addsFields(outer, inner) || isClosed(inner) && addsFields(inner, outer)) return undefined
  const result = { ...inner }
  for (const [keyword, value] of Object.entries(outer)) {
    const other = own(inner, keyword)
    if (other === undefined || descriptive.has(keyword) || isSame(other, value)) result[keyword] = value
    else if (keyword === "required" && Array.isArray(other) && Array.isArray(value)) {
      result[keyword] = [...new Set<unknown>([...other, ...value])]
    } else if (maps.has(keyword)) {
      const map = mapOf(other, value)
      if (map === undefined) return undefined
      result[keyword] = map
    } else return undefined
  }
  return result
}

interface Following {
  readonly document: Node
  readonly seen: ReadonlyArray<string>
  /** Of the whole schema. */
  readonly passed: Set<string>
  readonly parts: { count: number }
}

/** Alternatives of which only one exists are no choice. */
const onlyOf = (alternatives: unknown): ReadonlyArray<unknown> =>
  Array.isArray(alternatives) && alternatives.length === 1 ? alternatives : []

const withoutParts = (schema: Node): Node => {
  const { $ref: _, allOf: __, ...rest } = schema
  for (const keyword of ["anyOf", "oneOf"]) if (onlyOf(rest[keyword]).length > 0) delete rest[keyword]
  return Array.isArray(rest["type"]) && rest["type"].length === 1 ? { ...rest, type: rest["type"][0] } : rest
}

/** The schema itself where its parts do not make one. */
const plainOf = (schema: Node, following: Following): Node => {
  const { $ref: reference, allOf, anyOf, oneOf } = schema
  const { document, parts: budget, passed, seen } = following
  const parts = [...Array.isArray(allOf) ? allOf : [], ...onlyOf(anyOf), ...onlyOf(oneOf)]
  budget.count += parts.length + 1
  if (budget.count > maxParts) return schema
  let result: Node | undefined = withoutParts(schema)
  const add = (part: unknown, within: Following): void => {
    if (result === undefined || part === true) return
    result = isNode(part) ? both(result, plainOf(part, within)) : undefined
  }
  if (reference !== undefined) {
    if (!Predicate.isString(reference) || seen.includes(reference)) return schema
    add(
      Result.getOrUndefined(Result.try(() => resolve(document, reference))),
      { ...following, seen: [...seen, reference] }
    )
    if (result !== undefined) passed.add(reference)
  }
  for (const part of parts) add(part, following)
  return result ?? schema
}

/** Without the definitions that nothing refers to any more. */
const withoutPassed = (schema: Node, passed: ReadonlySet<string>): Node => {
  const result = { ...schema }
  for (const place of places) {
    const definitions = result[place]
    if (!isNode(definitions)) continue
    const { [place]: _, ...rest } = result
    const referenceOf = (name: string) =>
      [...passed].find((reference) =>
        Result.getOrUndefined(Result.try(() => resolve(schema, reference))) === definitions[name]
      )
    const kept = Object.fromEntries(Object.entries(definitions).filter(([name]) => referenceOf(name) === undefined))
    for (;;) {
      const text = JSON.stringify([rest, kept])
      const more = Object.entries(definitions).filter(([name]) =>
        !Object.hasOwn(kept, name) && text.includes(JSON.stringify(referenceOf(name)))
      )
      if (more.length === 0) break
      Object.assign(kept, Object.fromEntries(more))
    }
    if (Object.keys(kept).length === 0) delete result[place]
    else result[place] = Object.fromEntries(Object.entries(definitions).filter(([name]) => Object.hasOwn(kept, name)))
  }
  return result
}

/** References into a composition would lead nowhere. */
const intoParts = /"#\/(allOf|anyOf|oneOf)\//

/** A schema for the same values, whose root is one object if it can be. */
export const of = ({ $schema: _, ...schema }: Node): Node => {
  if (
    schema["$ref"] === undefined && schema["allOf"] === undefined && onlyOf(schema["anyOf"]).length === 0 &&
    onlyOf(schema["oneOf"]).length === 0 && !Array.isArray(schema["type"])
  ) return schema
  if (intoParts.test(JSON.stringify(schema))) return schema
  const passed = new Set<string>()
  return withoutPassed(plainOf(schema, { document: schema, seen: [], passed, parts: { count: 0 } }), passed)
}

const names: ReadonlyMap<unknown, string> = new Map([
  ["array", "a list"],
  ["boolean", "true or false"],
  ["integer", "a number"],
  ["null", "null"],
  ["number", "a number"],
  ["string", "a text"]
])

/** The references that are followed: to the root, and to definitions. */
const followed = /^#$|^#\/(\$defs|definitions)\/[^/]+$/

const described = (schema: Node): string => {
  const choice = [schema["anyOf"], schema["oneOf"]].find((each) => Array.isArray(each))
  if (Array.isArray(choice)) {
    return `a choice of ${choice.length}. Write one object, with a field that says which is meant`
  }
  const reference = schema["$ref"]
  if (Predicate.isString(reference)) {
    return followed.test(reference)
      ? `the reference '${reference}', which leads to no object`
      : `the reference '${reference}', and only those such as "#/$defs/Name" are followed`
  }
  if (Array.isArray(schema["allOf"])) {
    return "an allOf whose parts cannot be joined to one object. Write their fields in one object"
  }
  const { type } = schema
  const name = names.get(type) ?? (Array.isArray(type) ? `a choice of ${type.join(" and ")}` : undefined)
  const todo = "Write z.object({ … }) with a field for it"
  return name === undefined ? `no object. ${todo}` : `${name}. ${todo}`
}

/** Keywords that define the root without declaring it an object. */
const otherRoots = ["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"]

/** An empty struct of Effect Schema, which accepts anything but null. */
const isEmptyStruct = ({ not }: Node): boolean => JSON.stringify(not) === `{"type":"null"}`

/** What the root is instead of one object, and what to do. Undefined: it is one. */
export const problemOf = (schema: Node): string | undefined =>
  schema["type"] === "object" || isEmptyStruct(schema) || !otherRoots.some((keyword) => keyword in schema)
    ? undefined
    : described(schema)

/** What a reference may have beside it. */
const beside: ReadonlySet<string> = new Set(["$id", "$schema", "$ref", ...places, ...descriptive])

/**
 * The root where an object is expected. What is beside a reference is left out if both cannot be joined, as draft 7 has
 * it. Null is never given.
 */
export const expected = (schema: Node): Node => {
  const { type } = schema
  if (Array.isArray(type) && type.every((each) => each === "object" || each === "null") && type.includes("object")) {
    return of({ ...schema, type: "object" })
  }
  const root = of(schema)
  if (root["$ref"] === undefined) return root
  const alone = Object.fromEntries(Object.entries(schema).filter(([keyword]) => beside.has(keyword)))
  const referred = of(alone)
  return problemOf(referred) === undefined ? referred : root
}

/** References that are followed from the root of a schema of another server. */
const maxReferences = 8

/**
 * The root of a schema of another server as an object, as cheap as it is long: references of the root are followed, and
 * a root with properties is an object without saying so. Undefined: it is something else.
 */
export const referred = (schema: Node): Node | undefined => {
  let root = schema
  for (let count = 0; root["$ref"] !== undefined; count++) {
    const { $ref: reference, ...rest } = root
    if (count === maxReferences || Object.keys(root).some((keyword) => !beside.has(keyword))) return undefined
    const target = Result.getOrUndefined(Result.try(() => resolve(schema, String(reference))))
    if (!isNode(target)) return undefined
    root = { ...target, ...rest }
  }
  if (root["type"] === "object") return root
  return root["type"] === undefined && isNode(root["properties"]) ? { type: "object", ...root } : undefined
}

/** Whether some objects may match: a choice can have objects and other values. */
export const isForObjects = ({ anyOf, oneOf, type }: Node): boolean => {
  if (type !== undefined) return [type].flat().includes("object")
  const choice = anyOf ?? oneOf
  return !Array.isArray(choice) || choice.some((each) => isNode(each) && isForObjects(each))
}

/** The root with the keywords of an object. */
export const declared = (schema: Node): Node =>
  isEmptyStruct(schema)
    ? { type: "object", properties: {}, additionalProperties: false }
    : { type: "object", properties: {}, ...schema }
