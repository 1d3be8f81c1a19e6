// The journal of the durable calls of one function: in the order of the calls, and of their ends.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Schema } from "effect"

const Begun = Schema.Struct({
  kind: Schema.Literal("begun"),
  /** Its place among the calls of the function. */
  call: Schema.Natural,
  /** Names its run and what it asks. A call that is made again after a failure has another one. */
  key: Schema.String,
  /** Such as `run(writer)`. */
  what: Schema.String,
  /** A hash of what it was given. */
  input: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Finite
})
export type Begun = typeof Begun.Type

const Failure = Schema.Struct({ kind: Schema.String, message: Schema.String })

const Ended = Schema.Struct({
  kind: Schema.Literal("ended"),
  call: Schema.Natural,
  /** Left out: it gave nothing. */
  value: Schema.optionalKey(Schema.Json),
  failure: Schema.optionalKey(Failure)
})
export type Ended = typeof Ended.Type

/** The function threw. When it is called again, it makes its calls from this one on anew. */
const Failed = Schema.Struct({ kind: Schema.Literal("failed"), from: Schema.Natural })

export const Entry = Schema.Union([Begun, Ended, Failed])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)
const decodeAll = Schema.decodeUnknownEffect(Schema.Array(codec))
const encodeEntry = Schema.encodeSync(codec)
const none: ReadonlyArray<Entry> = []

/** Written by this service, so a decoding failure is a defect. */
export const decode = (entries: ReadonlyArray<Json.Object>): Effect.Effect<ReadonlyArray<Entry>> =>
  entries.length === 0 ? Effect.succeed(none) : Effect.orDie(decodeAll(entries))
export const encode = (entry: Entry): Json.Object => encodeEntry(entry) as Json.Object

/** Where the entries are kept. */
export interface DurableJournal {
  readonly entries: () => ReadonlyArray<Json.Object>
  /** Returns when the entry is stored. */
  readonly record: (entry: Json.Object) => Effect.Effect<void>
}

export interface Played {
  readonly begun: Map<number, Begun>
  /** In the order of the ends. */
  readonly ended: Map<number, Ended>
  /** How often the function has failed. */
  failures: number
}

export const play = (entries: ReadonlyArray<Entry>): Played => {
  const played: Played = { begun: new Map(), ended: new Map(), failures: 0 }
  for (const entry of entries) {
    if (entry.kind === "begun") played.begun.set(entry.call, entry)
    else if (entry.kind === "ended") played.ended.set(entry.call, entry)
    else {
      played.failures++
      for (const calls of [played.begun, played.ended]) {
        for (const call of calls.keys()) if (call >= entry.from) calls.delete(call)
      }
    }
  }
  return played
}

/** Whether the function has made calls and has not failed: it can be repeated up to where it was. */
export const isUnderway = (entries: ReadonlyArray<Json.Object>): boolean =>
  entries.length > 0 && entries.at(-1)?.["kind"] !== "failed"
