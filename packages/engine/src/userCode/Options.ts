// Checks the options that authors give components. Authors who write JavaScript have no compiler that does it.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { Predicate, Redacted, Schema } from "effect"
import * as ForeignNames from "./ForeignNames.ts"
import { described, hintOf, isFields, type Made, madeOf, mismatch, Mistake } from "./Mistake.ts"
import * as Validate from "./Validate.ts"

const isSecret = (value: unknown): boolean => Predicate.isString(value) || Redacted.isRedacted(value)

const isFilled = (value: unknown): boolean => Predicate.isString(value) && value.trim() !== ""

const isKey = (value: unknown): boolean => isFilled(Redacted.isRedacted(value) ? Redacted.value(value) : value)

/** The message is logged, and a text or a number may be the secret itself. */
const hidden: ReadonlyArray<string> = ["key", "keys", "secret", "secrets"]

const kinds = {
  amount: {
    expected: "a number of at least 0",
    is: (value: unknown) => Predicate.isNumber(value) && Number.isFinite(value) && value >= 0
  },
  any: { expected: "given", is: () => true },
  count: {
    expected: "a whole number of at least 1",
    is: (value: unknown) => Predicate.isNumber(value) && Number.isSafeInteger(value) && value >= 1
  },
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
  key: { expected: "a secret (a text or Redacted) that is not empty", is: isKey },
  keys: {
    expected: "a list of secrets (texts or Redacted) that are not empty",
    is: (value: unknown) => Array.isArray(value) && value.every(isKey)
  },
  list: { expected: "a list", is: Array.isArray },
  message: {
    expected: "a text or an object",
    is: (value: unknown) => Predicate.isString(value) || isFields(value)
  },
  name: { expected: "a text that is not empty", is: isFilled },
  names: {
    expected: "a list of texts that are not empty",
    is: (value: unknown) => Array.isArray(value) && value.every(isFilled)
  },
  number: { expected: "a number", is: Number.isFinite },
  object: { expected: "an object", is: isFields },
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

const longest = 14

const innerOf = (known: Kinds<string>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    Object.entries(known).flatMap(([name, kind]) =>
      !Predicate.isString(kind) && "options" in kind ? [[name, new Set(Object.keys(kind.options))] as const] : []
    )
  )

const unknown = (owner: string, name: string, known: Kinds<string>): Mistake => {
  const names = new Set(Object.keys(known))
  const todo = ForeignNames.todoFor(name, { names, inner: innerOf(known) }) ??
    (names.size > longest
      ? `docs/reference/options.md has its options`
      : `Its options are ${[...names].join(", ")}`)
  return new Mistake(`${owner}: there is no option '${name}'. ${todo}`)
}

/** Whether it is an instance of a class of the author. */
export const isInstance = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/** Its functions, with those of its class and of the classes that this one extends. */
const methodsOf = (instance: object): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = instance; Object.getPrototypeOf(at) !== null; at = Object.getPrototypeOf(at)) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(at))
    names.push(
      ...own.flatMap(([name, { value }]) => Predicate.isFunction(value) && name !== "constructor" ? [name] : [])
    )
  }
  return names
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

/** Objects that are one value of a list have one of them as text. */
const naming = ["_tag", "id", "name", "type"]

/** What to write in place of a list. Other libraries take maps of names, and a single value. */
const listed = (value: unknown): string | undefined => {
  if (Predicate.isString(value)) return "Write [ … ] around it"
  if (!Predicate.isObject(value) || Predicate.isFunction(value)) return undefined
  const isOne = naming.some((name) => Predicate.hasProperty(value, name) && Predicate.isString(value[name]))
  return isOne ? "Write [ … ] around it" : "Write its values in [ … ]"
}

/** What to write for entries, as of a Map or of Headers, in place of an object. */
export const fields = (value: unknown): string | undefined =>
  Predicate.isObject(value) && "entries" in value && !(value instanceof Set)
    ? "Write Object.fromEntries(…) around it"
    : undefined

/** What to write for what a function is to give. */
const called = (value: unknown): string | undefined =>
  Predicate.isObject(value) && madeOf(value) !== undefined ? "Write () => … before it" : undefined

const checkSimple = (what: string, value: unknown, kind: Simple): void => {
  const { expected, is } = kinds[kind]
  if (!is(value)) {
    const isHidden = hidden.includes(kind)
    if (isHidden && Predicate.isString(value)) throw new Mistake(`${what} must be ${expected}, and is a text`)
    if (isHidden && Predicate.isNumber(value)) throw new Mistake(`${what} must be ${expected}, and is a number`)
    const todo = kind === "list" ? listed(value) : kind === "function" ? called(value) : fields(value)
    throw mismatch(what, expected, value, todo)
  }
  if (Array.isArray(value)) checkItems(what, value, kind)
}

const checkValue = (owner: string, name: string, value: unknown, kind: Kind): void => {
  const what = `${owner}: ${name}`
  if (Predicate.isPromiseLike(value)) throw new Mistake(`${what} is a promise. Write await before it`)
  if (Predicate.isString(kind)) return checkSimple(what, value, kind)
  if ("oneOf" in kind) return void Validate.oneOf(owner, name, kind.oneOf, value)
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

/** The first option that takes a list of components or steps, with what is beside it. */
const listIn = (known: Kinds<string>): string | undefined => {
  const list = ["members", "choices", "steps"].find((name) => Object.hasOwn(known, name))
  const beside = ["id", "name", "evaluator", "selector"].filter((name) => Object.hasOwn(known, name))
  if (list === undefined) return undefined
  return `${beside.filter((name) => name !== "name" || !beside.includes("id")).join(": …, ")}: …, ${list}: [ … ]`
}

/**
 * For an instance of a class, whose own fields are its state, and whose other methods are its own: throws for a method
 * that has nearly the name of an option which the instance lacks. With `isForeign`, for one that other libraries call
 * so, too.
 */
export const checkMethods = (owner: string, instance: object, known: Kinds<string>, isForeign: boolean): void => {
  const names = new Set(Object.keys(known))
  const missing = new Set(Object.keys(known).filter((name) => Reflect.get(instance, name) === undefined))
  for (const name of methodsOf(instance)) {
    if (names.has(name) || name.startsWith("_")) continue
    const isMeant = isForeign
      ? ForeignNames.todoFor(name, { names, inner: innerOf(known) }) !== undefined
      : Misspelling.meant(name, missing) !== undefined
    if (isMeant) throw unknown(owner, name, known)
  }
}

/** What to write for what was made of options in place of options. */
const aroundMade = (owner: string, { kind }: Made, known: Kinds<string>): string => {
  if (owner.startsWith(kind)) return ". Spread its options, not what was made of them"
  if (kind === "Tool") return Object.hasOwn(known, "tools") ? ". Write { id: …, tools: [ … ] }" : ""
  if (Object.hasOwn(known, "parameters")) return ". Write ComponentTool.make({ component: … })"
  const own = kind.toLowerCase()
  if (Object.hasOwn(known, own)) return `. Write { name: …, ${own}: … }`
  if (Object.hasOwn(known, "component")) return ". Write { component: … }"
  const list = listIn(known) ?? (Object.hasOwn(known, "build") ? "id: …, build: () => …" : undefined)
  return list === undefined ? "" : `. Write { ${list} }`
}

/** What to write for a function, a list, a text or nothing in place of options. */
const aroundOther = (given: unknown, known: Kinds<string>): string => {
  if (Predicate.isFunction(given)) {
    const own = ["run", "execute"].find((name) => Object.hasOwn(known, name))
    return own === undefined
      ? ". Is it to be called? Write () after it"
      : `. Write { name: …, ${own}: … }, or () after it if it makes one`
  }
  const todo = fields(given)
  if (todo !== undefined) return `. ${todo}`
  const list = Array.isArray(given) ? listIn(known) : undefined
  if (list !== undefined) return `. Write { ${list} }`
  const [first] = Object.keys(known)
  return first === undefined ? "" : `. Write an object, such as { ${first}: … }`
}

/** What to write for a schema in place of options. */
const aroundSchema = (known: Kinds<string>): string =>
  Object.hasOwn(known, "schema")
    ? ". Write { schema: … } around it"
    : Object.hasOwn(known, "parameters")
    ? ". Write { name: …, parameters: … }"
    : ""

/** Throws for an unknown option, a value of another kind, a promise, and an empty place of a list. */
export const check = (owner: string, options: unknown, known: Kinds<string>): void => {
  const made = Predicate.isObject(options) ? madeOf(options) : undefined
  if (!isFields(options) || made !== undefined) {
    const todo = made === undefined ? aroundOther(options, known) : aroundMade(owner, made, known)
    throw new Mistake(`${owner} takes an object with options, and was given ${described(options)}${todo}`)
  }
  if (isSchema(options)) {
    throw new Mistake(`${owner} takes an object with options, and was given a schema${aroundSchema(known)}`)
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const kind = known[name]
    if (kind === undefined || !Object.hasOwn(known, name)) throw unknown(owner, name, known)
    checkValue(owner, name, value, kind)
  }
}

/** The name of a component in a sentence. */
export const ownerOf = (kind: string, options: unknown, key: "id" | "key" | "name" = "id"): string => {
  const id = Predicate.isObject(options) ? (options as Readonly<Record<string, unknown>>)[key] : undefined
  return Predicate.isString(id) && id !== "" ? `${kind} '${id}'` : kind
}
