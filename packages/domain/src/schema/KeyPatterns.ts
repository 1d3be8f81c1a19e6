// The keys that `patternProperties` of a JSON Schema describes. Servers send such schemas, and matching a pattern can
// take unlimited time, so only patterns that take as long as the key are matched.
import { Option, Predicate } from "effect"
import { own } from "./JsonSchemaReferences.ts"

const maxPatternLength = 100

/** More patterns, and longer keys, are not matched. */
const maxPatterns = 10
const maxKeyLength = 128

// a letter, a class or an escape: no groups, no alternatives, no counts
const part = String
  .raw`(?:\\[dDwWsS]|\\[^a-zA-Z0-9]|\[\^?(?:\\[dDwWsS]|\\[^a-zA-Z0-9]|[^\\[\]])+\]|[^\\^$.*+?()[\]{}|]|\.)`
const simple = new RegExp(`^\\^?(?:${part}[*+?]?)*\\$?$`, "u")
const repeats = new RegExp(`${part}[*+?]`, "gu")

/** A pattern that begins anywhere repeats already. Two repetitions take the square of the time. */
const isQuick = (pattern: string): boolean =>
  pattern === ".*" || pattern === ".+" ||
  (pattern.match(repeats) ?? []).length + (pattern.startsWith("^") ? 0 : 1) < 2

const compiled = Option.liftThrowable((pattern: string) => new RegExp(pattern, "u"))

const read = (pattern: string): Option.Option<RegExp> =>
  pattern.length <= maxPatternLength && simple.test(pattern) && isQuick(pattern) ? compiled(pattern) : Option.none()

interface Patterns {
  readonly readable: ReadonlyArray<readonly [RegExp, schema: unknown]>
  readonly isWhole: boolean
}

const none: Patterns = { readable: [], isWhole: true }
const known = new WeakMap<object, Patterns>()

const patternsOf = (schema: object): Patterns => {
  const given = own(schema, "patternProperties")
  if (!Predicate.isObject(given)) return none
  const before = known.get(given)
  if (before !== undefined) return before
  const all = Object.entries(given)
  const readable = all.slice(0, maxPatterns).flatMap(([pattern, schema]) =>
    Option.match(read(pattern), { onNone: () => [], onSome: (expression) => [[expression, schema] as const] })
  )
  const patterns = { readable, isWhole: readable.length === all.length }
  known.set(given, patterns)
  return patterns
}

/** Whether it is known of each key which patterns match it. */
export const isWhole = (schema: object): boolean => patternsOf(schema).isWhole

/** The schemas of the patterns that match the key. Undefined: some cannot be matched, and none of the others does. */
export const schemasFor = (schema: object, key: string): ReadonlyArray<unknown> | undefined => {
  const { isWhole, readable } = patternsOf(schema)
  const isShort = key.length <= maxKeyLength
  const found = isShort ? readable.flatMap(([pattern, schema]) => pattern.test(key) ? [schema] : []) : []
  return found.length === 0 && (!isWhole || (!isShort && readable.length > 0)) ? undefined : found
}
