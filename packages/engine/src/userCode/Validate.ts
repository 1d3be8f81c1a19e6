// Settings of agents and tools, checked when these are made. What is wrong is thrown with the owner and the setting in
// its text, because that is the moment at which its author looks.
import * as NameList from "@svc-runtime/domain/NameList"
import { isModelRef, type ModelRef, nameProblem } from "@svc-runtime/models/ModelCatalog"
import { DateTime, Duration, Option, Predicate } from "effect"
import { described, mismatch, Mistake } from "./Mistake.ts"

// A url that ends in one or two dots means another place.
const urlIdRule = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/

/** `what` is what has the id: an agent, the factory of one. */
export const urlId = (what: string, id: string): string => {
  if (Predicate.isString(id) && urlIdRule.test(id)) return id
  if (id === undefined) throw new Mistake(`${what.replace(/'s$/, "")} has no id. Give it one: it is its path in urls`)
  throw new Mistake(`${what} id '${id}' is not usable in a url: letters, digits, '.', '_', '~' and '-' only`)
}

/** What is given in place of a number or a word. */
const given = (value: unknown): string =>
  Predicate.isObjectKeyword(value) ? `and is ${described(value)}` : `not ${String(value)}`

export const wholeNumber = (owner: string, name: string, minimum: number, value: number): number => {
  if (Number.isInteger(value) && value >= minimum) return value
  const is = Predicate.isNumber(value) ? given(value) : `and is ${described(value)}`
  throw new Mistake(`${owner}: ${name} must be a whole number of at least ${minimum}, ${is}`)
}

export const oneOf = <A extends string>(owner: string, name: string, values: ReadonlyArray<A>, value: unknown): A => {
  const known = values.find((each) => each === value)
  if (known !== undefined) return known
  throw new Mistake(`${owner}: ${name} must be one of ${values.join(", ")}, ${given(value)}`)
}

const units = [
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
  "milliseconds",
  "microseconds",
  "nanoseconds"
]

/** What Effect takes for no time at all. Undefined: it is a length of time, or Effect refuses it. */
const emptyLength = (value: unknown): string | undefined => {
  if (Number.isNaN(value)) return ". It is NaN"
  if (value instanceof Date) return ". It is a date: give the time from now until then"
  if (Array.isArray(value)) return value.some(Number.isNaN) ? "" : undefined
  if (!Predicate.isObject(value) || Duration.isDuration(value)) return undefined
  const given = Object.entries(value).filter(([, number]) => number !== undefined)
  const unknown = given.find(([unit]) => !units.includes(unit))
  if (unknown !== undefined) return `. There is no unit '${unknown[0]}', but ${NameList.all(units)}`
  const odd = given.find(([, number]) => !Number.isFinite(number))
  if (odd !== undefined) return `. '${odd[0]}' is ${Predicate.isString(odd[1]) ? `'${odd[1]}'` : String(odd[1])}`
  return given.length === 0 ? "" : undefined
}

export const duration = (owner: string, name: string, value: Duration.Input): Duration.Duration => {
  const problem = emptyLength(value)
  const result = problem === undefined ? Duration.fromInput(value) : Option.none()
  if (Option.isSome(result) && !Duration.isNegative(result.value)) return result.value
  throw new Mistake(
    `${owner}: ${name} must be a length of time, such as "2 seconds" or a number of milliseconds${problem ?? ""}`
  )
}

/** The same for one whose end is stored as a time. */
export const storedDuration = (owner: string, name: string, value: Duration.Input): Duration.Duration => {
  const length = duration(owner, name, value)
  if (Duration.isLessThanOrEqualTo(length, Duration.days(36_525))) return length
  throw new Mistake(`${owner}: ${name} must be at most a hundred years`)
}

export const timezone = (owner: string, value: string): string => {
  if (Option.isSome(DateTime.zoneMakeNamed(value))) return value
  throw new Mistake(`${owner}: there is no timezone '${value}'. Use a name of the IANA database, such as Europe/Paris`)
}

/** What to write for what other libraries take as a model. */
const modelOf = (given: unknown): string | undefined => {
  if (Predicate.isFunction(given)) return "For a model of each request, make the agent with AgentFactory.make"
  if (Array.isArray(given)) return "Give it one, and the others as fallbackModels: [ … ]"
  if (!Predicate.isObject(given)) return undefined
  const { id, model = id, name = model, provider }: Partial<Record<"id" | "model" | "name" | "provider", unknown>> =
    given
  return Predicate.isString(provider) ? `Write "${provider}:${Predicate.isString(name) ? name : "…"}"` : undefined
}

const noModel = (owner: string, name: string, given: unknown): Mistake => {
  const version = Predicate.hasProperty(given, "specificationVersion") ? given.specificationVersion : undefined
  return version === undefined
    ? mismatch(`${owner}: ${name}`, "provider:model, or a model of the AI SDK", given, modelOf(given))
    : new Mistake(
      `${owner}: ${name} is of another version of the AI SDK (its specification is ${String(version)}, and v3 and v4 ` +
        "work). Install the latest version of its @ai-sdk package"
    )
}

/** A name that no provider can have, or an object that is no model. A missing key is no mistake of the author. */
export const model = (owner: string, name: string, ref: ModelRef | undefined): ModelRef | undefined => {
  if (ref !== undefined && !isModelRef(ref)) throw noModel(owner, name, ref)
  const problem = typeof ref === "string" ? nameProblem(ref) : undefined
  if (problem === undefined) return ref
  throw new Mistake(`${owner}: ${name} cannot be used. ${problem}`)
}
