// What a run or a step has changed in the state of its session. Changes are kept and stored instead of whole states, so
// that what others store meanwhile stays.
import * as Json from "@svc-runtime/domain/Json"
import { Effect, Option, Result, Schema } from "effect"
import * as JsonResult from "../userCode/JsonResult.ts"

export const StateChange = Schema.Struct({ set: Json.Object, removed: Schema.Array(Schema.String) })
export type StateChange = typeof StateChange.Type

/**
 * Compares by key, and copies only the values that were changed: a state can have thousands of keys. Undefined when
 * nothing was changed.
 */
export const between = (before: Json.Object, after: object): StateChange | undefined => {
  const set: Array<[string, Json.Value]> = []
  const absent = new Set<string>()
  for (const [key, value] of Object.entries(after) as ReadonlyArray<[string, unknown]>) {
    const known = before[key]
    if (value === known && typeof value !== "object") continue
    const text = JSON.stringify(value)
    // JSON leaves out what it cannot say
    if (text === undefined) absent.add(key)
    else if (text !== JSON.stringify(known)) set.push([key, JSON.parse(text)])
  }
  const removed = Object.keys(before).filter((key) => absent.has(key) || !Object.hasOwn(after, key))
  return set.length === 0 && removed.length === 0 ? undefined : { set: Object.fromEntries(set), removed }
}

/** Undefined when JSON cannot say it. What is parsed here needs no check of each value. */
const copy = (state: unknown): Json.Object | undefined => {
  const value: Json.Value | undefined = JSON.parse(JSON.stringify(state) ?? "null")
  return Json.isObject(value) ? value : undefined
}

/** JSON has its own keys, and no other. */
const isPlain = (state: unknown): state is object =>
  typeof state === "object" && state !== null && Object.getPrototypeOf(state) === Object.prototype &&
  !("toJSON" in state)

/** The state as JSON keeps it; none when JSON cannot say it. */
const toJson = (state: unknown): Option.Option<Json.Object> =>
  Option.fromUndefinedOr(Result.getOrUndefined(Result.try(() => copy(state))))

/** None when JSON cannot say the state. */
export const changeTo = (before: Json.Object, after: unknown): Option.Option<StateChange | undefined> =>
  isPlain(after)
    ? Result.getSuccess(Result.try(() => between(before, after)))
    : Option.map(toJson(after), (known) => between(before, known))

/** JSON makes {} of a Map, and of an object of a class without fields of its own. */
const isLost = (value: object): boolean => {
  if (Array.isArray(value) || Object.keys(value).length > 0) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && prototype !== Object.prototype
}

/** The first part that a change has lost, and its class. */
const lostIn = ({ set }: StateChange, after: unknown): string | undefined => {
  let lost: string | undefined
  const note = (key: string, part: unknown, at: string) => {
    if (lost === undefined && typeof part === "object" && part !== null && isLost(part)) {
      lost = `'${key === "" ? at : key}' of the session state is ${JsonResult.kindOf(part)}`
    }
    return part
  }
  for (const [at, value] of Object.entries(after as object)) {
    if (Object.hasOwn(set, at)) JSON.stringify(value, (key, part) => note(key, part, at))
  }
  return lost
}

const warnOfLost = (change: StateChange | undefined, after: unknown): Effect.Effect<StateChange | undefined> => {
  const lost = change === undefined ? undefined : lostIn(change, after)
  return lost === undefined ? Effect.succeed(change) : Effect.as(
    Effect.logWarning(`${lost}, of which JSON has nothing: {} is stored. Write an object or a list in its place`),
    change
  )
}

/** What an author's code has changed in a state. One that JSON cannot say is dropped: a store would refuse it. */
export const made = (before: Json.Object, after: unknown): Effect.Effect<StateChange | undefined> =>
  Option.match(changeTo(before, after), {
    onSome: (change) => warnOfLost(change, after),
    onNone: () =>
      Effect.as(
        Effect.logError("The state of the session is no JSON any more. What was changed in it here is dropped."),
        undefined
      )
  })

/** Changes a state in place that others hold a reference to. */
export const applyTo = (state: Record<string, Json.Value>, change: StateChange | undefined): void => {
  if (change === undefined) return
  for (const key of change.removed) delete state[key]
  for (const [key, value] of Object.entries(change.set)) {
    Object.defineProperty(state, key, { value, enumerable: true, configurable: true, writable: true })
  }
}

export const apply = (state: Json.Object, change: StateChange | undefined): Json.Object => {
  if (change === undefined) return state
  if (change.removed.length === 0) return { ...state, ...change.set }
  const removed = new Set(change.removed)
  const kept = Object.entries(state).filter(([key]) => !removed.has(key))
  return Object.fromEntries([...kept, ...Object.entries(change.set)])
}
