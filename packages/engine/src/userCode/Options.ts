// Checks the options that authors give components. Authors who write JavaScript have no compiler that does it.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { Predicate, Redacted, Schema } from "effect"
import { described, hintOf, isComponent, mismatch, Mistake } from "./Mistake.ts"
import * as Validate from "./Validate.ts"

const isSecret = (value: unknown): boolean => Predicate.isString(value) || Redacted.isRedacted(value)

const kinds = {
  any: { expected: "given", is: () => true },
  decision: {
    expected: "true, false or a function",
    is: (value: unknown) => Predicate.isBoolean(value) || Predicate.isFunction(value)
  },
  flag: { expected: "true or false", is: Predicate.isBoolean },
  flagOrTexts: {
    expected: "true, false or a list of texts",
    is: (value: unknown) => Predicate.isBoolean(value) || (Array.isArray(value) && value.every(Predicate.isString))
  },
  function: { expected: "a function", is: Predicate.isFunction },
  instructions: {
    expected: "a text, a list of texts or a function",
    is: (value: unknown) =>
      Predicate.isString(value) || Array.isArray(value) || Predicate.isFunction(value) ||
      Predicate.isTagged(value, "IncludedText")
  },
  list: { expected: "a list", is: Array.isArray },
  number: { expected: "a number", is: Predicate.isNumber },
  object: { expected: "an object", is: (value: unknown) => Predicate.isObject(value) },
  secret: { expected: "a secret (a text or Redacted)", is: isSecret },
  secrets: {
    expected: "a list of secrets (texts or Redacted)",
    is: (value: unknown) => Array.isArray(value) && value.every(isSecret)
  },
  text: { expected: "a text", is: Predicate.isString },
  texts: {
    expected: "a text or a list of texts",
    is: (value: unknown) => [value].flat().every(Predicate.isString)
  }
} as const

type Simple = keyof typeof kinds

/** An option that has options of its own. */
interface Nested {
  readonly options: Kinds<string>
  /** True and false are values too. */
  readonly orFlag?: true
}

/** An object with names of the author, such as ids, and a value of this kind for each. */
interface Named {
  readonly each: Kind
}

/** An option with a few values. */
interface Values {
  readonly oneOf: ReadonlyArray<string>
}

export type Kind = Named | Nested | Simple | Values

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
  create: ["build"],
  cron_expr: ["cron"],
  endpoint: ["url"],
  evaluate: ["evaluator"],
  execute: ["run"],
  func: ["execute", "run", "build"],
  guardrails: ["hooks"],
  handler: ["execute", "run", "build"],
  id: ["name"],
  inputSchema: ["parameters"],
  make: ["build"],
  maxOutputTokens: ["modelSettings"],
  maxSteps: ["toolCallLimit"],
  maxTokens: ["modelSettings", "maxOutputTokens"],
  maximum: ["max"],
  message: ["payload"],
  minimum: ["min"],
  needsApproval: ["requiresConfirmation"],
  output: ["outputSchema"],
  over: ["items"],
  prompt: ["instructions"],
  requireApproval: ["requiresConfirmation"],
  requiresConfirmation: ["confirmation"],
  routes: ["choices"],
  run: ["execute", "build"],
  schema: ["parameters", "inputSchema"],
  server: ["url"],
  stopAfterToolCall: ["stopAfterCall"],
  stopWhen: ["toolCallLimit"],
  structuredOutput: ["outputSchema"],
  subAgents: ["members"],
  system: ["instructions"],
  systemPrompt: ["instructions"],
  team: ["teams"],
  temperature: ["modelSettings"],
  tool: ["tools"],
  until: ["endCondition"],
  uri: ["url"],
  workflow: ["workflows"]
}

const agentsOfAgent = {
  beside: "instructions",
  todo: "Make a team of them with Team.make, or a tool of each with ComponentTool.make"
}

/** What is no option, and what to do: where there is an option `beside` it. */
const elsewhere: Readonly<Record<string, { readonly beside: string; readonly todo: string }>> = {
  agents: agentsOfAgent,
  factories: { beside: "agents", todo: "Put each into agents, teams or workflows, by what it makes" },
  handoffs: agentsOfAgent,
  members: agentsOfAgent,
  subAgents: agentsOfAgent
}

const longest = 14

const unknown = (owner: string, name: string, names: ReadonlySet<string>): Mistake => {
  const alike = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined
  const meant = Misspelling.meant(name, names) ?? alike?.find((each) => names.has(each))
  const other = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined
  const todo = meant !== undefined
    ? `Did you mean '${meant}'?`
    : other !== undefined && names.has(other.beside)
    ? other.todo
    : names.size > longest
    ? `docs/reference/options.md has its options`
    : `Its options are ${[...names].join(", ")}`
  return new Mistake(`${owner}: there is no option '${name}'. ${todo}`)
}

const checkItems = (what: string, items: ReadonlyArray<unknown>, kind: Simple): void => {
  for (const [index, item] of items.entries()) {
    if (kind === "instructions" && !Predicate.isString(item)) throw mismatch(`${what}[${index}]`, "a text", item)
    if (item === undefined || item === null || Predicate.isPromiseLike(item)) {
      const hint = hintOf(item)
      throw new Mistake(`${what}[${index}] is ${described(item)}${hint === undefined ? "" : `. ${hint}`}`)
    }
  }
}

const checkSimple = (what: string, value: unknown, kind: Simple): void => {
  const { expected, is } = kinds[kind]
  if (!is(value)) {
    // the message is logged, and a text or a number may be the secret itself
    const isHidden = kind === "secret" || kind === "secrets"
    if (isHidden && Predicate.isString(value)) throw new Mistake(`${what} must be ${expected}, and is a text`)
    if (isHidden && Predicate.isNumber(value)) throw new Mistake(`${what} must be ${expected}, and is a number`)
    throw mismatch(what, expected, value)
  }
  if (Array.isArray(value)) checkItems(what, value, kind)
}

const checkValue = (owner: string, name: string, value: unknown, kind: Kind): void => {
  const what = `${owner}: ${name}`
  if (Predicate.isPromiseLike(value)) throw new Mistake(`${what} is a promise. Write await before it`)
  if (Predicate.isString(kind)) return checkSimple(what, value, kind)
  if ("oneOf" in kind) return void Validate.oneOf(owner, name, kind.oneOf, value as string)
  if ("each" in kind) {
    checkSimple(what, value, "object")
    for (const [key, each] of Object.entries(value as object)) checkValue(what, key, each, kind.each)
    return
  }
  if (kind.orFlag === true && Predicate.isBoolean(value)) return
  if (kind.orFlag === true && !Predicate.isObject(value)) {
    throw mismatch(what, "true, false or an object with options", value)
  }
  check(what, value, kind.options)
}

const isSchema = (value: unknown): boolean => Schema.isSchema(value) || Predicate.hasProperty(value, "~standard")

/** Throws for an unknown option, a value of another kind, a promise, and an empty place of a list. */
export const check = (owner: string, options: unknown, known: Kinds<string>): void => {
  if (!Predicate.isObject(options) || isComponent(options)) {
    const todo = Predicate.isFunction(options) ? ". Is it to be called? Write () after it" : ""
    throw new Mistake(`${owner} takes an object with options, and was given ${described(options)}${todo}`)
  }
  if (isSchema(options)) {
    const todo = Object.hasOwn(known, "schema") ? ". Write { schema: … } around it" : ""
    throw new Mistake(`${owner} takes an object with options, and was given a schema${todo}`)
  }
  const names = new Set(Object.keys(known))
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const kind = known[name]
    if (kind === undefined || !Object.hasOwn(known, name)) throw unknown(owner, name, names)
    checkValue(owner, name, value, kind)
  }
}

/** The name of a component in a sentence. */
export const ownerOf = (kind: string, options: unknown, key: "id" | "key" | "name" = "id"): string => {
  const id = Predicate.isObject(options) ? (options as Readonly<Record<string, unknown>>)[key] : undefined
  return Predicate.isString(id) && id !== "" ? `${kind} '${id}'` : kind
}
