// Where a guardrail looks at texts: a hook of the same check for each of the places.
import * as Json from "@svc-runtime/domain/Json"
import type * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect, Option, Predicate } from "effect"
import * as Hook from "../agent/define/Hook.ts"
import * as TextWindow from "./TextWindow.ts"
import * as TimeSlices from "./TimeSlices.ts"
import type { Parts } from "./TimeSlices.ts"

// What a judge or an endpoint gets of a text: pieces that overlap, up to a longest text.

/** Characters of one piece, and of two at once: what is at a border is whole in one of them. */
const [size, shared] = [20_000, 500]

/** A longer text is not judged. */
const maxLength = 200_000

const piecesOf = (text: string): ReadonlyArray<string> => {
  const count = Math.max(1, Math.ceil((text.length - shared) / (size - shared)))
  return Array.from({ length: count }, (_, index) => {
    const from = index * (size - shared)
    return text.slice(from, from + size).toWellFormed()
  })
}

/** Judges one piece after the other, until something is found. */
const judged = Effect.fnUntraced(function*<A, E, R>(
  text: string,
  judge: (piece: string) => Effect.Effect<A | undefined, E, R>
) {
  for (const piece of piecesOf(text)) {
    const found = yield* judge(piece)
    if (found !== undefined) return found
  }
  return undefined
})

/** The input of a run, the answers of the model, the results of tools, and the arguments that the model gives tools. */
export type Place = "input" | "output" | "results" | "arguments"

export interface Blocked {
  readonly _tag: "Blocked"
  readonly reason: Hook.Reason
  readonly message: string
}

export interface Noted {
  readonly _tag: "Noted"
  readonly reason: string
}

export interface Masked {
  readonly _tag: "Masked"
  readonly text: string
  readonly reason: string
}

const reject = ({ message, reason }: Blocked): never => {
  throw new Hook.CheckFailed({ reason, message })
}

/** The value with other texts. Keys stay. */
function* mapTexts(value: Json.Value, change: (text: string) => Parts<string>): Parts<Json.Value> {
  yield
  if (Predicate.isString(value)) return yield* change(value)
  if (Array.isArray(value)) {
    const list: Array<Json.Value> = []
    for (const each of value) list.push(yield* mapTexts(each, change))
    return list
  }
  if (!Predicate.isObject(value)) return value
  const fields: Array<[string, Json.Value]> = []
  for (const [key, each] of Object.entries(value)) fields.push([key, yield* mapTexts(each as Json.Value, change)])
  return Object.fromEntries(fields)
}

/** All texts of a value, without keys. */
function* textOf(value: Json.Value): Parts<string> {
  const texts: Array<string> = []
  yield* mapTexts(value, function*(text) {
    texts.push(text)
    return text
  })
  return texts.filter((text) => text.trim() !== "").join("\n")
}

/** Undefined: nothing is found in the text. */
export type Check = (text: string, place: Place) => Parts<Blocked | Masked | Noted | undefined>

/** The value of a JSON text with escapes, which patterns cannot read. */
const escapedIn = (text: string): Json.Value | undefined => {
  if (!text.includes("\\") || !/^\s*[[{]/.test(text)) return undefined
  const value = Option.getOrUndefined(Json.parse(text))
  return value !== undefined && Json.isShallow(value) ? value : undefined
}

/** Looks also at the texts inside of a JSON text, as they are without escapes. */
export const decoding = (check: Check): Check =>
  function*(text, place) {
    const value = escapedIn(text)
    if (value === undefined) return yield* check(text, place)
    const found: Array<Blocked | Masked | Noted> = []
    const inside = yield* mapTexts(value, function*(each) {
      const one = yield* check(each, place)
      if (one !== undefined) found.push(one)
      return one?._tag === "Masked" ? one.text : each
    })
    const blocked = found.find(({ _tag }) => _tag === "Blocked")
    if (blocked !== undefined) return blocked
    const masked = found.find(({ _tag }) => _tag === "Masked")
    if (masked === undefined) return (yield* check(text, place)) ?? found[0]
    const written = JSON.stringify(inside)
    const outside = yield* check(written, place)
    const reason = [...new Set([...found, ...outside === undefined ? [] : [outside]].map(({ reason }) => reason))].join(
      ", "
    )
    return { _tag: "Masked", text: outside?._tag === "Masked" ? outside.text : written, reason }
  }

function* outcomeOf<A extends Json.Value>(check: Check, place: Place, value: A) {
  const reasons = new Set<string>()
  let isMasked = false
  const masked = yield* mapTexts(value, function*(text) {
    const found = yield* check(text, place)
    if (found === undefined) return text
    if (found._tag === "Blocked") return reject(found)
    reasons.add(found.reason)
    if (found._tag === "Noted") return text
    isMasked = true
    return found.text
  })
  if (reasons.size === 0) return undefined
  const reason = [...reasons].join(", ")
  return isMasked ? Hook.change(masked as A, reason) : Hook.note(reason)
}

type Outcome = <A extends Json.Value>(
  value: A,
  place: Place,
  ask: Hook.Ask
) => UserCode.Returned<Hook.Changed<A> | Hook.Noted | undefined>

const hookOf = (
  name: string,
  places: ReadonlyArray<Place>,
  shows: NonNullable<Hook.RunHook["shows"]>,
  outcome: Outcome
): Hook.RunHook => {
  const has = (place: Place) => places.includes(place)
  return {
    name,
    shows,
    beforeRun: has("input") ? ({ ask, input }) => outcome(input.input_content, "input", ask) : undefined,
    afterModel: has("output") ? ({ ask, reasoning, text }) => outcome({ text, reasoning }, "output", ask) : undefined,
    afterTool: has("results") ? ({ ask, result }) => outcome(result, "results", ask) : undefined,
    beforeTool: has("arguments") ? ({ args, ask }) => outcome(args, "arguments", ask) : undefined
  }
}

/** A hook that checks each text by itself, and may mask parts of it. */
export const eachText = (
  name: string,
  places: ReadonlyArray<Place>,
  shows: NonNullable<Hook.RunHook["shows"]>,
  check: Check
): Hook.RunHook => hookOf(name, places, shows, (value, place) => TimeSlices.run(outcomeOf(check, place, value)))

/** Undefined: the text passes. */
export type SlowCheck = (
  text: string,
  place: Place,
  ask: Hook.Ask
) => Effect.Effect<Blocked | Noted | undefined, unknown>

/** A hook that checks all texts of a place at once, with a request for each piece of them. */
export const allTexts = (
  name: string,
  places: ReadonlyArray<Place>,
  action: "block" | "note",
  check: SlowCheck
): Hook.RunHook =>
  hookOf(
    name,
    places,
    action === "note" ? TextWindow.open : "whole",
    Effect.fnUntraced(function*(value, place, ask) {
      const joined = TimeSlices.run(textOf(value))
      const text = Predicate.isString(joined) ? joined : yield* joined
      if (text === "") return undefined
      if (text.length > maxLength) {
        const reason = `longer than ${maxLength} characters, and not judged`
        if (action === "note") return Hook.note(reason)
        return reject({ _tag: "Blocked", reason: "validation_failed", message: `The text is ${reason}` })
      }
      // @effect-diagnostics-next-line anyUnknownInErrorContext:off because a check may fail with anything
      const found = yield* judged(text, (piece) => check(piece, place, ask))
      if (found?._tag === "Blocked") return reject(found)
      return found === undefined ? undefined : Hook.note(found.reason)
    })
  )
