// Limits of single values of a run, in bytes of UTF-8: results of tools, outputs of steps and models, their media,
// custom events, the state of a session and payloads of jobs. The error texts name the settings.
import type * as Json from "@svc-runtime/domain/Json"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { Context, Effect, Schema } from "effect"

export interface ByteLimits {
  readonly toolResult: number
  readonly sessionState: number
  readonly customEvent: number
  /** Of a structured answer, and of what a function of a step returns. */
  readonly output: number
  /** Of the media of one answer of a model. */
  readonly media: number
  /** Of the payload of a background job. */
  readonly jobPayload: number
}

const mebibyte = 1024 * 1024

export const defaultByteLimits: ByteLimits = {
  toolResult: mebibyte,
  sessionState: mebibyte,
  customEvent: mebibyte / 4,
  output: 4 * mebibyte,
  media: 32 * mebibyte,
  jobPayload: mebibyte / 4
}

export const ByteLimits = Context.Reference<ByteLimits>("@svc-runtime/engine/limits/ByteLimits", {
  defaultValue: () => defaultByteLimits
})

const encoder = new TextEncoder()

/** A character has three bytes at most, so most texts need not be measured. */
const fits = (text: string, limit: number): boolean => text.length * 3 <= limit || bytesOf(text) <= limit

export const bytesOf = TextBytes.of

/** The start of a text that has this many bytes at most, without half of a character at its end. */
const start = (text: string, limit: number): string => {
  const { read } = encoder.encodeInto(text, new Uint8Array(limit))
  return text.slice(0, read).toWellFormed()
}

/** A result that is too large is cut, and says so to the model, in events and in what is stored. */
export const cut = (text: string, limit: number, setting = "TOOL_RESULT_MAX_BYTES"): string =>
  fits(text, limit)
    ? text
    : `${start(text, limit)}\n[The result was cut after ${limit} of ${bytesOf(text)} bytes (${setting})]`

/** The limit of a tool counts if it is lower than that of the service. */
export const cutFor = (
  { maxResultBytes = Number.POSITIVE_INFINITY }: { readonly maxResultBytes: number | undefined },
  text: string,
  { toolResult }: ByteLimits
): string => maxResultBytes < toolResult ? cut(text, maxResultBytes, "maxResultBytes") : cut(text, toolResult)

/** What a run or a step fails with. */
export class ValueTooLarge extends Schema.TaggedError<ValueTooLarge>()("ValueTooLarge", {
  what: Schema.String,
  limit: Schema.Int,
  /** Of the bytes. */
  setting: Schema.optionalKey(Schema.String),
  unit: Schema.optionalKey(Schema.Literal("keys"))
}) {
  override get message() {
    if (this.unit === "keys") {
      return `${this.what} has more than ${this.limit} keys. Keep many values in a list or an object`
    }
    return `${this.what} is larger than ${this.limit} bytes (${this.setting})`
  }
}

const outputWithin = (what: string, isWithin: (limit: number) => boolean): Effect.Effect<void, ValueTooLarge> =>
  Effect.flatMap(
    ByteLimits,
    ({ output }) =>
      isWithin(output)
        ? Effect.void
        : Effect.fail(new ValueTooLarge({ what, limit: output, setting: "OUTPUT_MAX_BYTES" }))
  )

export const checkOutput = (what: string, text: string) => outputWithin(what, (limit) => fits(text, limit))

/** Of an output that is made of parts: it is refused before all of its parts are there. */
export const checkOutputBytes = (what: string, bytes: number) => outputWithin(what, (limit) => bytes <= limit)

/** Keys of a session state: the database compares each of them when a run changes the state. */
const maxKeys = 500

const tooManyKeys = new ValueTooLarge({ what: "The session state", limit: maxKeys, unit: "keys" })

/** A state that has become larger. One that was too large before may shrink. */
export const checkState = (before: Json.Object, after: Json.Object): Effect.Effect<void, ValueTooLarge> =>
  Effect.flatMap(ByteLimits, ({ sessionState: limit }) => {
    const keys = Object.keys(after).length
    if (keys > maxKeys && keys > Object.keys(before).length) return Effect.fail(tooManyKeys)
    const text = JSON.stringify(after)
    return fits(text, limit) || bytesOf(text) <= bytesOf(JSON.stringify(before))
      ? Effect.void
      : Effect.fail(new ValueTooLarge({ what: "The session state", limit, setting: "SESSION_STATE_MAX_BYTES" }))
  })
