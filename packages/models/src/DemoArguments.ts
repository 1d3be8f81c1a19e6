// Makes a value for a JSON Schema from the words of a message: numbers, quoted words, places, choices. Values that it
// cannot guess are the smallest allowed ones.
import { Predicate } from "effect"
import type { Schema } from "effect"

type Json = Schema.Json
type JsonObject = Readonly<Record<string, unknown>>

const asObject = (value: unknown): JsonObject => Predicate.isObject(value) ? value as JsonObject : {}

const asArray = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** A schema of a caller may require texts of any length, and any number of values. */
const maxTextLength = 10_000
const maxValues = 1000

/** The rest of a longer message is ignored: the time of some patterns grows with the square of its length. */
const lookedAt = 4000

const bounded = (value: string, schema: JsonObject): string => {
  const { maxLength, minLength } = schema
  const long = typeof minLength === "number" ? value.padEnd(Math.min(minLength, maxTextLength), "x") : value
  return typeof maxLength === "number" ? long.slice(0, maxLength) : long
}

const formats: Readonly<Record<string, string>> = {
  date: "2025-01-01",
  time: "12:00:00",
  "date-time": "2025-01-01T12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000"
}

const place = /\b(?:in|at|for|to|of|near)\s+((?:\p{Lu}[\p{L}-]+)(?:\s+\p{Lu}[\p{L}-]+)*)/u
const quoted = /["“'‘]([^"”'’]+)["”'’]/
const expression = /[-(]?\d(?:[\d\s.()+*/^×÷x-]|plus|minus|times|divided by)*\d\)?/

/** The zone that is named after a city. */
const zoneOf = (city: string | undefined): string =>
  Intl.supportedValuesOf("timeZone").find((zone) => zone.endsWith(`/${city?.replaceAll(" ", "_")}`)) ?? "UTC"

/** Reads the message once per schema: numbers are used up in the order they stand in it. */
class Generator {
  readonly root: JsonObject
  readonly message: string
  readonly numbers: Array<number>
  made = 0

  constructor(root: JsonObject, message: string) {
    this.root = root
    this.message = message
    this.numbers = (message.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
  }

  value(schema: JsonObject, name: string, depth: number): Json {
    if (++this.made > maxValues) return null
    if ("const" in schema) return schema.const as Json
    if (Array.isArray(schema.enum)) return this.choice(schema.enum)
    if ("default" in schema) return schema.default as Json
    if (typeof schema.$ref === "string") {
      return depth > 8
        ? null
        : this.value(this.resolve(schema.$ref), name, depth + 1)
    }
    const options = asArray(schema.anyOf ?? schema.oneOf ?? schema.allOf).map(asObject)
    const option = options.find(({ type }) => type !== "null") ?? options[0]
    if (option !== undefined) return this.value(option, name, depth + 1)
    switch (this.type(schema)) {
      case "string":
        return bounded(this.text(schema, name), schema)
      case "integer":
      case "number":
        return this.number(schema)
      case "boolean":
        return true
      case "array":
        return this.array(schema, name, depth)
      case "object":
        return this.object(schema, depth)
      default:
        return null
    }
  }

  type(schema: JsonObject): unknown {
    if (Array.isArray(schema.type)) return schema.type.find((type) => type !== "null")
    return schema.type ?? (schema.properties === undefined ? "string" : "object")
  }

  resolve(ref: string): JsonObject {
    return ref.replace(/^#\/?/, "").split("/").reduce((schema, key) => asObject(schema[key]), this.root)
  }

  choice(values: ReadonlyArray<unknown>): Json {
    const message = this.message.toLowerCase()
    const mentioned = values.find((value) => typeof value === "string" && message.includes(value.toLowerCase()))
    return (mentioned ?? values[0] ?? null) as Json
  }

  number(schema: JsonObject): number {
    const minimum = typeof schema.minimum === "number" ? schema.minimum : undefined
    const value = this.numbers.shift() ?? minimum ?? 1
    const whole = schema.type === "integer" ? Math.round(value) : value
    const atMost = typeof schema.maximum === "number" ? Math.min(schema.maximum, whole) : whole
    return minimum === undefined ? atMost : Math.max(minimum, atMost)
  }

  text(schema: JsonObject, name: string): string {
    const format = typeof schema.format === "string" && Object.hasOwn(formats, schema.format)
      ? formats[schema.format]
      : undefined
    if (format !== undefined) return format
    const message = this.message.trim()
    if (/expression|formula|calculation/i.test(name)) return expression.exec(message)?.[0]?.trim() ?? message
    if (/city|location|place|country|town/i.test(name)) return place.exec(message)?.[1] ?? "London"
    if (/time_?zone|^tz$/i.test(name)) return zoneOf(place.exec(message)?.[1])
    return quoted.exec(message)?.[1] ?? (message === "" ? "demo" : message)
  }

  array(schema: JsonObject, name: string, depth: number): ReadonlyArray<Json> {
    const count = Math.max(1, typeof schema.minItems === "number" ? schema.minItems : 1)
    if (depth > 8) return []
    const [first] = asArray(schema.prefixItems)
    const item = asObject(first ?? schema.items)
    return Array.from({ length: Math.min(count, maxValues) }, () => this.value(item, name, depth + 1))
  }

  /** The required properties; all of them when the schema does not say which are required. */
  object(schema: JsonObject, depth: number): Json {
    const properties = asObject(schema.properties)
    const required = asArray(schema.required)
    const names = Object.keys(properties).filter((name) => required.length === 0 || required.includes(name))
    if (depth > 8) return {}
    return Object.fromEntries(names.map((name) => [name, this.value(asObject(properties[name]), name, depth + 1)]))
  }
}

export const make = (schema: unknown, message: string): Json => {
  const root = asObject(schema)
  return new Generator(root, message.slice(0, lookedAt)).value({ type: "object", ...root }, "", 0)
}
