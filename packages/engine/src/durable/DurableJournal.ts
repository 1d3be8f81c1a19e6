// The journal of the durable calls of one function: in the order of the calls, and of their ends.
import type * as Json from "@svc-runtime/domain/Json"
import * as NameList from "@svc-runtime/domain/NameList"
import { Effect, Schema } from "effect"

/**
 * What may be repeated: nothing of a `once` step, a `step` of other effects with the same `effectId`, and a `run` as
 * another run. Left out: the call waits.
 */
const CallType = Schema.Literals(["once", "step", "run"])
export type CallType = typeof CallType.Type

const Begun = Schema.Struct({
  kind: Schema.Literal("begun"),
  /** Its place among the calls of the function. */
  call: Schema.Natural,
  /** Names its run and what it asks. A call that is made again after a failure has another one. */
  key: Schema.String,
  /** Such as `run(writer)`. */
  what: Schema.String,
  /** A hash of what it was given, of 32 bits: it finds changed code, and is no protection against an attack. */
  input: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Finite,
  /** How many ends the function had got before: a repeated function gets no more of them before it makes the call. */
  after: Schema.Natural,
  type: Schema.optionalKey(CallType)
})
export type Begun = typeof Begun.Type

const Failure = Schema.Struct({ kind: Schema.String, message: Schema.String })

/** Of a call that the code of an Effect has interrupted: a repeated function interrupts it at the same place. */
export const interruptedKind = "Interrupted"

/** Of a `once` step that the service has not seen the end of. */
export const lostKind = "OutcomeLost"

/** Of a call that was made, and whose result could not be kept: nothing that has an effect is made again for it. */
export const notKeptKind = "NotKept"

/** No error of a function has one of them. */
export const ownKinds: ReadonlyArray<string> = [interruptedKind, lostKind, notKeptKind]

const Ended = Schema.Struct({
  kind: Schema.Literal("ended"),
  call: Schema.Natural,
  /** Left out: it gave nothing. */
  value: Schema.optionalKey(Schema.Json),
  failure: Schema.optionalKey(Failure),
  /** Epoch milliseconds. Journals of earlier versions do not have it. */
  at: Schema.optionalKey(Schema.Finite)
})
export type Ended = typeof Ended.Type

/** The function threw. When it is called again, it makes these calls anew, and gets what the others have given. */
const Failed = Schema.Struct({
  kind: Schema.Literal("failed"),
  again: Schema.Array(Schema.Natural),
  /** Its `once` steps whose outcome is unknown. They are made anew after a decision of a person only. */
  lost: Schema.optionalKey(Schema.Array(Schema.Natural)),
  /**
   * What else is made anew after such a decision: the calls with whose errors the function has failed, although it has
   * made other calls after them, and what has failed after that.
   */
  decided: Schema.optionalKey(Schema.Array(Schema.Natural)),
  /** How many decisions there were then. */
  decisions: Schema.optionalKey(Schema.Natural)
})
type Failed = typeof Failed.Type

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
  /** How often a person has decided that the function is called again. Left out: never. */
  readonly decisions?: (() => number) | undefined
  /** The function is called after a loss only if a person has decided that. */
  readonly isDecided?: boolean | undefined
}

export interface Played {
  readonly begun: ReadonlyMap<number, Begun>
  /** In the order of the ends. */
  readonly ended: ReadonlyMap<number, Ended>
  /** The calls that are made as if they had not begun. They keep their places among the others. */
  readonly anew: ReadonlySet<number>
  /** How often the function has failed. */
  readonly failures: number
  /** The place of the next new call. */
  readonly next: number
  /** The last failure with calls that a person can have made anew, if they were not made anew. */
  readonly open: Failed | undefined
  /** The steps that were set aside and recognise their effect: they keep their key when they are made again. */
  readonly aside: ReadonlyArray<Begun>
}

/** What the function has made after it had got the first of these ends. */
const madeAfter = (
  { begun, ended }: Pick<Played, "begun" | "ended">,
  calls: ReadonlyArray<number>
): ReadonlyArray<Begun> => {
  const first = [...ended.keys()].findIndex((call) => calls.includes(call))
  return first === -1 ? [] : [...begun.values()].filter(({ after }) => after > first)
}

/** A step that recognises its effect keeps its key, and a run whose result is known to its host. */
const again = (begun: Map<number, Begun>, ended: Map<number, Ended>, calls: ReadonlySet<number>) => {
  const aside = madeAfter({ begun, ended }, [...calls])
  for (const { call } of aside) {
    begun.delete(call)
    ended.delete(call)
  }
  const order = [...ended.keys()]
  for (const [call, entry] of begun) {
    const forgotten = order.slice(0, entry.after).filter((each) => calls.has(each)).length
    begun.set(call, { ...entry, after: entry.after - forgotten })
  }
  const anew = [...calls].filter((call) =>
    begun.has(call) && begun.get(call)?.type !== "step" && ended.get(call)?.failure?.kind !== notKeptKind
  )
  for (const call of calls) ended.delete(call)
  return { anew, aside: aside.filter(({ type }) => type === "step") }
}

export const unknownOf = (entry: Begun | undefined): string => `It is not known whether ${entry?.what} was done`

export const play = (entries: ReadonlyArray<Entry>): Played => {
  const begun = new Map<number, Begun>()
  const ended = new Map<number, Ended>()
  const anew = new Set<number>()
  let failures = 0
  let next = 0
  let open: Failed | undefined
  let aside: ReadonlyArray<Begun> = []
  for (const entry of entries) {
    if (entry.kind === "begun") {
      begun.set(entry.call, entry)
      anew.delete(entry.call)
      aside = aside.filter(({ key }) => key !== entry.key)
      next = Math.max(next, entry.call + 1)
    } else if (entry.kind === "ended") {
      // of a call that was interrupted while its end was written, the first counts
      const isFirst = begun.has(entry.call) && !anew.has(entry.call) && !ended.has(entry.call)
      if (isFirst) ended.set(entry.call, entry)
    } else {
      failures++
      open = entry.lost === undefined && entry.decided === undefined ? undefined : entry
      const repeated = again(begun, ended, new Set(entry.again))
      for (const call of repeated.anew) anew.add(call)
      aside = [...aside, ...repeated.aside]
      for (const call of entry.lost ?? []) {
        if (ended.get(call)?.failure?.kind !== interruptedKind) continue
        const failure = { kind: lostKind, message: unknownOf(begun.get(call)) }
        ended.set(call, { kind: "ended", call, failure })
      }
    }
  }
  return { begun, ended, anew, failures, next, open, aside }
}

const openIn = ({ anew, begun, ended }: Played): ReadonlyArray<Begun> =>
  [...begun.values()].filter(({ call }) => !ended.has(call) && !anew.has(call))

/** The ends after which the function has made no other call: it has not handled their failures. */
const lastEndsIn = ({ begun, ended }: Played): ReadonlyArray<Ended> =>
  [...ended.values()].slice(Math.max(0, ...[...begun.values()].map(({ after }) => after)))

const isOnce = ({ begun }: Played, call: number) => begun.get(call)?.type === "once"

/** The calls of `once` steps whose outcome is unknown. An interrupted one can have had its effect. */
export const lostIn = (played: Played): ReadonlyArray<number> => [
  ...openIn(played).flatMap(({ call, type }) => type === "once" ? [call] : []),
  ...lastEndsIn(played).flatMap(({ call, failure }) =>
    failure?.kind === lostKind || (failure?.kind === interruptedKind && isOnce(played, call)) ? [call] : []
  )
]

/** What a retry makes anew, without a decision of a person. */
const againIn = (played: Played): ReadonlyArray<number> => {
  const lost = new Set(lostIn(played))
  const isDone = (call: number, { kind }: NonNullable<Ended["failure"]>) => kind === notKeptKind && isOnce(played, call)
  return [
    ...openIn(played).flatMap(({ call, type }) => type === "run" ? [call] : []),
    ...lastEndsIn(played).flatMap(({ call, failure }) =>
      failure === undefined || lost.has(call) || isDone(call, failure) ? [] : [call]
    )
  ]
}

/**
 * The entry of a function that has failed now, with the errors of these calls. Undefined: nothing is made anew. A
 * person can have it go back to the first of these failures: what was made after it does not count then.
 */
export const failureOf = (
  played: Played,
  { decisions }: DurableJournal,
  reasons: ReadonlyArray<number>
): Failed | undefined => {
  const later = new Set(madeAfter(played, reasons).map(({ call }) => call))
  const isBefore = ([call]: readonly [number, unknown]) => !later.has(call)
  const back: Played = later.size === 0 ? played : {
    ...played,
    begun: new Map([...played.begun].filter(isBefore)),
    ended: new Map([...played.ended].filter(isBefore))
  }
  const again = againIn(played)
  const lost = [...new Set([...lostIn(played), ...lostIn(back)])]
  const decided = later.size === 0 ? [] : againIn(back)
  if (again.length + lost.length + decided.length === 0) return undefined
  if (lost.length + decided.length === 0) return { kind: "failed", again }
  return {
    kind: "failed",
    again,
    ...(lost.length === 0 ? {} : { lost }),
    ...(decided.length === 0 ? {} : { decided }),
    decisions: decisions?.() ?? 0
  }
}

const ofPerson = ({ decided = [], lost = [] }: Failed): ReadonlyArray<number> => [...lost, ...decided]

/** The entry that has these calls made anew. Undefined: no person has decided that. */
export const decidedIn = (
  { open }: Played,
  { decisions, isDecided = false }: DurableJournal
): Failed | undefined => {
  if (open === undefined) return undefined
  const isWanted = (isDecided && open.lost !== undefined) || (decisions?.() ?? 0) > (open.decisions ?? 0)
  return isWanted ? { kind: "failed", again: ofPerson(open) } : undefined
}

/** Of the other calls of unknown outcome: a person who decides about the first one decides about all of them. */
export const alsoUnknown = ({ begun }: Played, calls: ReadonlyArray<number>): string =>
  calls.length === 0
    ? ""
    : `. Nor is it known of ${NameList.first(calls.flatMap((call) => begun.get(call)?.what ?? []))}`

/** What else a person decides with a retry. Undefined: nothing is done again but what has failed. */
export const repeatedIn = (played: Played): string | undefined => {
  const { ended, open } = played
  if (open === undefined) return undefined
  const names = madeAfter(played, ofPerson(open)).flatMap(({ call, what }) => ended.has(call) ? [what] : [])
  if (names.length === 0) return undefined
  return `A retry also repeats what the function did after that: ${NameList.first(names)}`
}

/** Whether the function has made calls and has not failed: it can be repeated up to where it was. */
export const isUnderway = (entries: ReadonlyArray<Json.Object>): boolean =>
  entries.length > 0 && entries.at(-1)?.["kind"] !== "failed"
