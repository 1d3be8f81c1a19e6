// Settings of agents and tools, checked when these are made. What is wrong is thrown with the owner and the setting in
// its text, because that is the moment at which its author looks.
import { isModelRef, type ModelRef, nameProblem } from "@svc-runtime/models/ModelCatalog"
import { DateTime, Duration, Option, Predicate } from "effect"
import { mismatch, Mistake } from "./Mistake.ts"

// A url that ends in one or two dots means another place.
const urlIdRule = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/

/** `what` is what has the id: an agent, the factory of one. */
export const urlId = (what: string, id: string): string => {
  if (Predicate.isString(id) && urlIdRule.test(id)) return id
  if (id === undefined) throw new Mistake(`${what.replace(/'s$/, "")} has no id. Give it one: it is its path in urls`)
  throw new Mistake(`${what} id '${id}' is not usable in a url: letters, digits, '.', '_', '~' and '-' only`)
}

export const wholeNumber = (owner: string, name: string, minimum: number, value: number): number => {
  if (Number.isInteger(value) && value >= minimum) return value
  throw new Mistake(`${owner}: ${name} must be a whole number of at least ${minimum}, not ${value}`)
}

export const oneOf = <A extends string>(owner: string, name: string, values: ReadonlyArray<A>, value: A): A => {
  if (values.includes(value)) return value
  throw new Mistake(`${owner}: ${name} must be one of ${values.join(", ")}, not ${String(value)}`)
}

export const duration = (owner: string, name: string, value: Duration.Input): Duration.Duration => {
  const result = Duration.fromInput(value)
  if (Option.isSome(result) && !Duration.isNegative(result.value)) return result.value
  throw new Mistake(`${owner}: ${name} must be a length of time, such as "2 seconds" or a number of milliseconds`)
}

export const timezone = (owner: string, value: string): string => {
  if (Option.isSome(DateTime.zoneMakeNamed(value))) return value
  throw new Mistake(`${owner}: there is no timezone '${value}'. Use a name of the IANA database, such as Europe/Paris`)
}

const noModel = (owner: string, name: string, given: unknown): Mistake => {
  const version = Predicate.hasProperty(given, "specificationVersion") ? given.specificationVersion : undefined
  return version === undefined
    ? mismatch(`${owner}: ${name}`, "provider:model, or a model of the AI SDK", given)
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
