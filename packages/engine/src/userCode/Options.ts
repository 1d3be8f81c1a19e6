// Checks the options that authors give components. Authors who write JavaScript have no compiler that does it.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { Predicate } from "effect"
import { described, hintOf, isComponent, mismatch, Mistake } from "./Mistake.ts"

const kinds = {
  any: { expected: "given", is: () => true },
  flag: { expected: "true or false", is: Predicate.isBoolean },
  function: { expected: "a function", is: Predicate.isFunction },
  instructions: {
    expected: "a text, a list of texts or a function",
    is: (value: unknown) => Predicate.isString(value) || Array.isArray(value) || Predicate.isFunction(value)
  },
  flagOrOptions: {
    expected: "true, false or an object with options",
    is: (value: unknown) => Predicate.isBoolean(value) || Predicate.isObject(value)
  },
  list: { expected: "a list", is: Array.isArray },
  object: { expected: "an object", is: (value: unknown) => Predicate.isObject(value) },
  text: { expected: "a text", is: Predicate.isString }
} as const

export type Kind = keyof typeof kinds

/** A kind for each option, so that the compiler finds an option that the table lacks. */
export type Kinds<Name extends PropertyKey> = Readonly<Record<Name, Kind>>

/** What other libraries call it. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  address: ["url"],
  agent: ["agents", "component"],
  agents: ["members"],
  callback: ["execute", "run", "build"],
  fn: ["execute", "run", "build"],
  condition: ["evaluator"],
  endpoint: ["url"],
  evaluate: ["evaluator"],
  execute: ["run"],
  func: ["execute", "run", "build"],
  guardrails: ["hooks"],
  handler: ["execute", "run", "build"],
  inputSchema: ["parameters"],
  make: ["build"],
  maxSteps: ["toolCallLimit"],
  maximum: ["max"],
  minimum: ["min"],
  prompt: ["instructions"],
  run: ["execute", "build"],
  schema: ["parameters", "inputSchema"],
  system: ["instructions"],
  systemPrompt: ["instructions"],
  team: ["teams"],
  tool: ["tools"],
  uri: ["url"],
  workflow: ["workflows"]
}

const longest = 14

const unknown = (owner: string, name: string, names: ReadonlySet<string>, page: string): Mistake => {
  const meant = Misspelling.meant(name, names) ?? synonyms[name]?.find((each) => names.has(each))
  const todo = meant !== undefined
    ? `Did you mean '${meant}'?`
    : names.size > longest
    ? `${page} has its options`
    : `Its options are ${[...names].join(", ")}`
  return new Mistake(`${owner}: there is no option '${name}'. ${todo}`)
}

const checkItems = (what: string, items: ReadonlyArray<unknown>, kind: Kind): void => {
  for (const [index, item] of items.entries()) {
    if (kind === "instructions" && !Predicate.isString(item)) throw mismatch(`${what}[${index}]`, "a text", item)
    if (item === undefined || item === null || Predicate.isPromiseLike(item)) {
      const hint = hintOf(item)
      throw new Mistake(`${what}[${index}] is ${described(item)}${hint === undefined ? "" : `. ${hint}`}`)
    }
  }
}

/** Throws for an unknown option, a value of another kind, a promise, and an empty place of a list. */
export const check = (
  owner: string,
  options: unknown,
  known: Kinds<string>,
  /** Where the options are described. */
  page: string
): void => {
  if (!Predicate.isObject(options) || isComponent(options)) {
    const todo = Predicate.isFunction(options) ? ". Is it to be called? Write () after it" : ""
    throw new Mistake(`${owner} takes an object with options, and was given ${described(options)}${todo}`)
  }
  const names = new Set(Object.keys(known))
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const kind = known[name]
    if (kind === undefined || !Object.hasOwn(known, name)) throw unknown(owner, name, names, page)
    if (Predicate.isPromiseLike(value)) throw new Mistake(`${owner}: ${name} is a promise. Write await before it`)
    if (!kinds[kind].is(value)) throw mismatch(`${owner}: ${name}`, kinds[kind].expected, value)
    if (Array.isArray(value)) checkItems(`${owner}: ${name}`, value, kind)
  }
}

/** The name of a component in a sentence. */
export const ownerOf = (kind: string, options: unknown, key: "id" | "name" = "id"): string => {
  const id = Predicate.isObject(options) ? (options as Readonly<Record<string, unknown>>)[key] : undefined
  return Predicate.isString(id) && id !== "" ? `${kind} '${id}'` : kind
}
