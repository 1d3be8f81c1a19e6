// Where a guardrail looks at texts: a hook of the same check for each of the places.
import * as Json from "@svc/domain/Json"
import { Effect, Option, Predicate } from "effect"
import * as Hook from "../agent/Hook.ts"
import type * as UserCode from "../usercode/UserCode.ts"
import * as Windows from "./windows.ts"

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
const mapTexts = (value: Json.Value, change: (text: string) => string): Json.Value => {
  if (Predicate.isString(value)) return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each as Json.Value, change)]))
}

/** All texts of a value, without keys. */
const textOf = (value: Json.Value): string => {
  const texts: Array<string> = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts.filter((text) => text.trim() !== "").join("\n")
}

/** Undefined: nothing is found in the text. */
export type Check = (text: string, place: Place) => Blocked | Masked | Noted | undefined

/** The value of a JSON text with escapes, which patterns cannot read. */
const escapedIn = (text: string): Json.Value | undefined => {
  if (!text.includes("\\") || !/^\s*[[{]/.test(text)) return undefined
  const value = Option.getOrUndefined(Json.parse(text))
  return value !== undefined && Json.isShallow(value) ? value : undefined
}

/** Looks also at the texts inside of a JSON text, as they are without escapes. */
export const decoding = (check: Check): Check => (text, place) => {
  const value = escapedIn(text)
  if (value === undefined) return check(text, place)
  const found: Array<Blocked | Masked | Noted> = []
  const inside = mapTexts(value, (each) => {
    const one = check(each, place)
    if (one !== undefined) found.push(one)
    return one?._tag === "Masked" ? one.text : each
  })
  const blocked = found.find(({ _tag }) => _tag === "Blocked")
  if (blocked !== undefined) return blocked
  const masked = found.find(({ _tag }) => _tag === "Masked")
  if (masked === undefined) return check(text, place) ?? found[0]
  const written = JSON.stringify(inside)
  const outside = check(written, place)
  const reason = [...new Set([...found, ...outside === undefined ? [] : [outside]].map(({ reason }) => reason))].join(
    ", "
  )
  return { _tag: "Masked", text: outside?._tag === "Masked" ? outside.text : written, reason }
}

const outcomeOf = <A extends Json.Value>(check: Check, place: Place, value: A) => {
  const reasons = new Set<string>()
  let isMasked = false
  const masked = mapTexts(value, (text) => {
    const found = check(text, place)
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

const hookOf = (name: string, places: ReadonlyArray<Place>, outcome: Outcome): Hook.RunHook => {
  const has = (place: Place) => places.includes(place)
  return {
    name,
    beforeRun: has("input") ? ({ ask, input }) => outcome(input.input_content, "input", ask) : undefined,
    afterModel: has("output") ? ({ ask, reasoning, text }) => outcome({ text, reasoning }, "output", ask) : undefined,
    afterTool: has("results") ? ({ ask, result }) => outcome(result, "results", ask) : undefined,
    beforeTool: has("arguments") ? ({ args, ask }) => outcome(args, "arguments", ask) : undefined
  }
}

/** A hook that checks each text by itself, and may mask parts of it. */
export const eachText = (name: string, places: ReadonlyArray<Place>, check: Check): Hook.RunHook =>
  hookOf(name, places, (value, place) => outcomeOf(check, place, value))

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
  hookOf(name, places, (value, place, ask) => {
    const text = textOf(value)
    if (text === "") return undefined
    if (text.length > Windows.longest) {
      const reason = `longer than ${Windows.longest} characters, and not judged`
      if (action === "note") return Hook.note(reason)
      return reject({ _tag: "Blocked", reason: "validation_failed", message: `The text is ${reason}` })
    }
    // @effect-diagnostics-next-line anyUnknownInErrorContext:off because a check may fail with anything
    return Effect.map(Windows.judged(text, (piece) => check(piece, place, ask)), (found) => {
      if (found?._tag === "Blocked") return reject(found)
      return found === undefined ? undefined : Hook.note(found.reason)
    })
  })
