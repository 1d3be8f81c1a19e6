// JSON in the wire format: free-form objects keep every key and never become `unknown`.
import { Option, Schema } from "effect"

export const Value: Schema.Codec<Value> = Schema.Json
export type Value = Schema.Json

export const Object = Schema.Record(Schema.String, Schema.Json)
export type Object = typeof Object.Type

export const isObject = (value: Value | undefined): value is Object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isList = (value: Value | undefined): value is ReadonlyArray<Value> => Array.isArray(value)

/** The value in a text. None if the text is not JSON. */
export const parse: (text: string) => Option.Option<Value> = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

/** Fields with JSON values only. An interface is not assignable to `Object` although its values are JSON. */
export type Encodable<A> = A extends Value ? A
  : A extends (...input: ReadonlyArray<never>) => unknown ? never
  : A extends object ? { readonly [K in keyof A]: Encodable<A[K]> }
  : never

type Encoded<A> = A extends ReadonlyArray<unknown> ? ReadonlyArray<Value> : A extends object ? Object : Value

/** The value itself, if its type has JSON values only. */
export const of = <A>(value: A & Encodable<A>): Encoded<A> => value as Encoded<A>

/** The maximum depth: more than real data needs, and less than `JSON.stringify` supports. */
export const maxDepth = 200

const children = (value: Value): ReadonlyArray<Value> =>
  typeof value !== "object" || value === null ? [] : Array.isArray(value) ? value : globalThis.Object.values(value)

/** Iterates instead of recursing, because deep input would overflow the stack. */
export const isShallow = (value: Value): boolean => {
  let level: ReadonlyArray<Value> = [value]
  for (let depth = 0; depth < maxDepth; depth++) {
    level = level.flatMap(children)
    if (level.length === 0) return true
  }
  return false
}

export const tooDeep = `Input should not be nested deeper than ${maxDepth} levels`

/** Checks after it are not made of a deeper value: `JSON.stringify` would overflow the stack. */
const shallow = Schema.makeFilter<Value>(isShallow, { message: tooDeep, problem: "json_too_deep" }, true)

const prototype = "__proto__"

/** Code that copies an object with this key by assignment gives the copy another prototype. Of a shallow value. */
const namesPrototype = (value: Value): boolean =>
  typeof value === "object" && value !== null &&
  (globalThis.Object.hasOwn(value, prototype) || children(value).some(namesPrototype))

const prototypeNamed = `Input should have no key '${prototype}'`

const safe = Schema.makeFilter<Value>((value) => !namesPrototype(value), {
  message: prototypeNamed,
  problem: "value_error"
})

/** A value that can be stored but not encoded would break every list that contains it. */
export const Storable = Schema.Json.check(shallow)

/** JSON from callers. */
export const InputValue = Storable.check(safe)
export const Input = Object.check(shallow, safe)

/** Why JSON from callers is refused as a whole, before a schema decodes it. */
export const refusalOf = (value: Value): { readonly msg: string; readonly type: string } | undefined => {
  if (!isShallow(value)) return { msg: tooDeep, type: "json_too_deep" }
  return namesPrototype(value) ? { msg: prototypeNamed, type: "value_error" } : undefined
}

/** The key may be written with escapes. Few texts have an object, and fewer the key, so few are parsed. */
const keyOfPrototype = /__proto__|\\u00(?:5f|6f|7[024])/i
const maybePrototype = (text: string): boolean => text.includes("{") && keyOfPrototype.test(text)

/** The same for a text of a caller, for its keys. Text that is no JSON, or is nested too deep, is refused later. */
export const refusalOfText = (text: string): ReturnType<typeof refusalOf> =>
  maybePrototype(text)
    ? Option.getOrUndefined(Option.map(Option.filter(parse(text), isShallow), refusalOf))
    : undefined

/** Parses a text. A value that callers may not send has no result. */
export const parseInput = (text: string): Option.Option<Value> =>
  Option.filter(parse(text), (value) => refusalOf(value) === undefined)

/** The value with the keys of its objects in order, so that equal values have equal texts. */
export const sorted = (value: Value): Value => {
  if (isList(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const fields = globalThis.Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1)
  return globalThis.Object.fromEntries(fields.map(([key, inner]) => [key, sorted(inner)]))
}

/** The text of an object without its null keys. The copy keeps its shape, which makes it faster than `withoutNulls`. */
export const textWithoutNulls = (value: object): string => {
  const copy: { [key: string]: unknown } = { ...value }
  for (const key in copy) if (copy[key] === null) copy[key] = undefined
  return JSON.stringify(copy)
}

/** Removes null keys, for responses that omit them. */
export const withoutNulls = <A extends object>(value: A): A => {
  const fields = globalThis.Object.entries(value).filter(([, field]) => field !== null && field !== undefined)
  return globalThis.Object.fromEntries(fields) as A
}
