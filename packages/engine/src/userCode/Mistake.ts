// What an author has written wrong, found when it is made: one sentence with the component, the field, and what to do.
import { Predicate } from "effect"

/** Names and values of authors can have any length, and characters that terminals take for commands. */
const shown = (message: string): string => {
  const text = message
    .replaceAll(/[^\s']{301,}/g, (long) => `${long.slice(0, 80)}…`)
    .replaceAll(/[^\n\P{Cc}]/gu, (control) => JSON.stringify(control).slice(1, -1))
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}

/** `serve` logs it in one line, without a stack. */
// @effect-diagnostics-next-line extendsNativeError:off -- authors get it from plain functions
export class Mistake extends Error {
  override readonly name = "Mistake"

  constructor(message: string, options?: ErrorOptions) {
    super(shown(message), options)
  }
}

/** The files of the service, of which the author has written none. */
const own = new URL("../../../", import.meta.url).href

/** Where the author has written it, such as `src/index.ts:12`. Undefined: the stack does not say it. */
export const placeOf = ({ stack = "" }: Error, folder: string): string | undefined => {
  // a module is named by its url, and a file of CommonJS by its path
  const files = [...stack.matchAll(/((?:file:\/\/)?\/[^\s()]+?):(\d+):\d+/g)].map(([, file = "", line]) =>
    [file.startsWith("file:") ? file : `file://${file.split("/").map(encodeURIComponent).join("/")}`, line] as const
  )
  const [file, line] = files.find(([file]) => !file.startsWith(own) || file.startsWith(`${own}examples/`)) ?? []
  if (file === undefined || line === undefined) return undefined
  const path = decodeURIComponent(new URL(file).pathname)
  return `${path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path}:${line}`
}

/** What names the kind of a component. */
const kindOf = (value: object): string | undefined => {
  const kind = "_tag" in value ? value._tag : "type" in value ? value.type : undefined
  return kind === "Agent" || kind === "Team" || kind === "Workflow" ? kind : undefined
}

export const isComponent = (value: object): value is { readonly id: unknown } =>
  "id" in value && kindOf(value) !== undefined

/** What the library has made of options: its kind, and its id or name. */
export interface Made {
  readonly kind: string
  readonly id: string
}

export const madeOf = (value: object): Made | undefined => {
  if (isComponent(value)) return { kind: kindOf(value) ?? "", id: String(value.id) }
  if (!Predicate.hasProperty(value, "name") || !Predicate.isString(value.name)) return undefined
  const id = value.name
  if ("decode" in value && "call" in value) return { kind: "Tool", id }
  return "outputReview" in value && "confirmation" in value && "type" in value ? { kind: "Step", id } : undefined
}

/** Messages are logged: a url with a password is not shown. */
const hasPassword = (text: string): boolean => /:\/\/[^/]*@/.test(text)

/** The functions of the library that make something, with their names. */
export const makers = new WeakMap<object, string>()

/** Whether what it has is in its properties, as of options. Entries of maps, of headers and of sets are not. */
export const isFields = (value: unknown): value is { readonly [name: string]: unknown } =>
  Predicate.isObject(value) && !(Symbol.iterator in value) && !(value instanceof Date) && !(value instanceof RegExp)

/** A value in a sentence, without what it contains. */
export const described = (value: unknown): string => {
  if (value === undefined || value === null) return String(value)
  if (Predicate.isPromiseLike(value)) return "a promise"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "function") return makers.get(value) ?? "a function"
  if (typeof value === "string") return value.length > 40 || hasPassword(value) ? "a text" : `the text '${value}'`
  if (typeof value !== "object") return `the ${typeof value} ${String(value)}`
  const made = madeOf(value)
  if (made !== undefined) return `the ${made.kind.toLowerCase()} '${made.id}'`
  if (!isFields(value)) return `a ${Object.getPrototypeOf(value)?.constructor?.name ?? "list"}`
  const names = Object.keys(value)
  return names.length === 0 ? "an empty object" : `an object with ${names.slice(0, 5).join(", ")}`
}

/** Ends the sentence where the reason is clear. */
export const hintOf = (value: unknown): string | undefined => {
  if (Predicate.isPromiseLike(value)) return "Write await before it"
  const maker = typeof value === "function" ? makers.get(value) : undefined
  if (maker !== undefined) return `Call it with its options: ${maker}({ … })`
  if (value === undefined) return "Is it exported under this name, and defined before it is used?"
  return undefined
}

/** What to write for what is none of the things that `makers` make. Other libraries find them by their ids or names. */
export const unmade = (value: unknown, makers: string): string =>
  Predicate.isString(value) ? `Give what ${makers} returned, not its id or name` : `Make it with ${makers}`

/** `${what} must be …, and is …`, with what to do. */
export const mismatch = (what: string, expected: string, value: unknown, hint?: string): Mistake => {
  const todo = hintOf(value) ?? hint
  return new Mistake(`${what} must be ${expected}, and is ${described(value)}${todo === undefined ? "" : `. ${todo}`}`)
}
