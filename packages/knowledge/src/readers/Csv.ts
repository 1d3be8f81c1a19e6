// Tables of separated values, as lines, or as documents with labelled fields.
import { CsvError, parse } from "csv-parse/sync"
import { Effect } from "effect"
import { Unreadable } from "../Unreadable.ts"
import { decode } from "./decoding.ts"
import type { Input, Read } from "./Input.ts"
import { labelled, oneLine, textOf } from "./table.ts"

const delimiters = [",", ";", "\t", "|"]

/** The delimiter that the first line has most of, outside of quotes. */
const delimiterOf = (text: string): string => {
  const line = text.slice(0, 100_000).replace(/"(?:[^"]|"")*"/g, "").replace(/\n.*/s, "")
  return delimiters.map((delimiter) => [delimiter, line.split(delimiter).length] as const)
    .reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}

const recordsOf = (input: Input, text: string): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, Unreadable> =>
  Effect.try({
    try: (): ReadonlyArray<ReadonlyArray<string>> => {
      let fields = 0
      return parse(text, {
        delimiter: delimiterOf(text),
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
        max_record_size: input.limits.outputLength,
        on_record: (record: Array<string>) => {
          fields += record.length
          if (fields > input.limits.nodes) {
            throw new Unreadable({
              reason: "too_large",
              message: `The table has more than ${input.limits.nodes} fields`
            })
          }
          return record
        }
      })
    },
    catch: (error) =>
      error instanceof Unreadable ? error : new Unreadable({
        reason: "broken",
        message: `The content is not valid CSV${error instanceof CsvError ? `: ${error.message}` : ""}`
      })
  })

export const read: Read = Effect.fnUntraced(function*(input) {
  const records = yield* recordsOf(input, yield* decode(input))
  return [{ text: textOf(records.map((record) => record.map(oneLine)), input.limits.outputLength) }]
})

/** `Name: value` for each field that has a value. The first row has the names. */
export const readLabelled: Read = Effect.fnUntraced(function*(input) {
  const [names = [], ...records] = yield* recordsOf(input, yield* decode(input))
  return records.map((record, index) => ({
    text: labelled(names, record.map((field) => field.trim())).join("\n"),
    metadata: { row: index + 1 }
  }))
})
