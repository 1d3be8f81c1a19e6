// Items as lines of JSON.
import * as Json from "@svc-runtime/domain/Json"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import { Effect, Schema } from "effect"
import * as Dataset from "../Dataset.ts"

/** Of the JSON of one item. */
export const maxBytes = 256 * 1024

export class ItemInvalid extends Schema.TaggedError<ItemInvalid>()("ItemInvalid", {
  message: Schema.String,
  isTooLarge: Schema.Boolean
}) {}

const invalid = (message: string) => new ItemInvalid({ message, isTooLarge: false })

const decode = Schema.decodeUnknownEffect(Dataset.ItemInput)

/** Refuses items that are too large, and two with one id. */
export const check = Effect.fnUntraced(function*(items: ReadonlyArray<Dataset.ItemInput>) {
  const ids = new Set<string>()
  for (const [index, item] of items.entries()) {
    const bytes = bytesOf(JSON.stringify(item))
    if (bytes > maxBytes) {
      const message = `Item ${index + 1} has ${bytes} bytes, more than ${maxBytes}`
      return yield* new ItemInvalid({ message, isTooLarge: true })
    }
    const { id = null } = item
    if (id !== null && ids.has(id)) return yield* invalid(`Two items have the id '${id}'`)
    if (id !== null) ids.add(id)
  }
})

const itemOf = Effect.fnUntraced(function*(line: string) {
  const value = yield* Effect.mapError(Effect.fromOption(Json.parse(line)), () => "it is not JSON")
  const refusal = Json.refusalOf(value)
  if (refusal !== undefined) return yield* Effect.fail(refusal.msg)
  return yield* Effect.mapError(decode(value, { onExcessProperty: "error" }), ({ message }) => message)
})

/** Empty lines are ignored. */
export const parse = Effect.fnUntraced(function*(text: string) {
  const lines = text.split(/\r?\n/).flatMap((line, index) => line.trim() === "" ? [] : [{ line, number: index + 1 }])
  if (lines.length > Dataset.maxChange) {
    return yield* invalid(`An import has at most ${Dataset.maxChange} items`)
  }
  return yield* Effect.forEach(
    lines,
    ({ line, number }) =>
      Effect.mapError(itemOf(line), (problem) => invalid(`Line ${number} is not an item: ${problem}`))
  )
})

export const format = (items: ReadonlyArray<Dataset.Item>): ReadonlyArray<string> =>
  items.map(({ version: _, ...item }) => `${JSON.stringify(Json.withoutNulls(item))}\n`)
