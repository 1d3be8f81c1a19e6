// Decodes lists of decisions that a client sent. The time is limited: a list of small items within the limit of a
// request would take seconds.
import { Effect, Predicate, Record, Schema } from "effect"

/** The keys of what a client sends back. Their values are ignored. */
export const unread = (fields: Schema.Struct.Fields): {} => Record.map(fields, () => Schema.optionalKey(Schema.Unknown))

/** Values in a list that are decoded within milliseconds. */
const maxValues = 10_000

/** Lists of more values are decoded up to the first problem. */
const maxValuesWithAllProblems = 1000

/** The levels that are decoded: the list, its items, the call of an item, the fields of a call, and their keys. */
const levels = 5

const valuesIn = (list: unknown): number => {
  let count = 0
  let level: ReadonlyArray<unknown> = [list]
  for (let depth = 0; depth < levels; depth++) {
    const next: Array<unknown> = []
    for (const value of level) {
      if (!Predicate.isObjectKeyword(value)) continue
      for (const child of Object.values(value)) next.push(child)
      if (count + next.length > maxValues) return maxValues + 1
    }
    count += next.length
    level = next
  }
  return count
}

export const tooMany = `a request with decisions has at most ${maxValues} values: leave out what needs no decision`

/** Fails with undefined if the list is too long. A key that no decision has is refused, because it can be misspelt. */
export const decoder = <A>(item: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(item))
  return (sent: unknown): Effect.Effect<ReadonlyArray<A>, Schema.SchemaError | undefined> => {
    const count = valuesIn(sent)
    if (count > maxValues) return Effect.fail(undefined)
    const errors = count > maxValuesWithAllProblems ? "first" : "all"
    return decode(sent, { errors, onExcessProperty: "error" })
  }
}
