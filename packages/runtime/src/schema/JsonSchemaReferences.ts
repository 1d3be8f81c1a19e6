// The references of a JSON Schema: to itself (`#`) and to its definitions, in the words of either draft.
import { type JsonSchema, Predicate } from "effect"

export type Node = JsonSchema.JsonSchema | boolean

export const isNode = (value: unknown): value is Node => Predicate.isObject(value) || Predicate.isBoolean(value)

/** What `key` of `object` says. What an object inherits is no part of a schema. */
export const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined

const prefixes = ["$defs", "definitions"]

/** A percent sign that encodes nothing stands for itself. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    const bytes = Uint8Array.from(encoded.slice(1).split("%"), (byte) => Number.parseInt(byte, 16))
    return new TextDecoder().decode(bytes)
  })

/** The name of a definition as a reference spells it: percent-encoded, with `~0` and `~1`. */
const nameIn = (reference: string, prefix: string): string | undefined => {
  if (!reference.startsWith(`#/${prefix}/`)) return undefined
  const pointer = reference.slice(prefix.length + 3)
  return decoded(pointer).replaceAll("~1", "/").replaceAll("~0", "~")
}

/** Throws when there is no such definition. */
export const resolve = (root: Node, reference: string): Node => {
  if (reference === "#") return root
  for (const prefix of prefixes) {
    const name = nameIn(reference, prefix)
    if (name === undefined) continue
    const definitions = own(root as object, prefix)
    const found = Predicate.isObject(definitions) ? own(definitions, name) : undefined
    if (isNode(found)) return found
    throw new Error(`Missing definition "${name}"`)
  }
  throw new Error(`Unsupported $ref "${reference}". Use "#/$defs/Name".`)
}

/** What is under these keywords is data. */
const literal: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** Throws when one of its references leads nowhere. */
export const check = (root: JsonSchema.JsonSchema): void => {
  const open: Array<unknown> = [root]
  for (let next = 0; next < open.length; next++) {
    const value = open[next]
    if (!Predicate.isObjectOrArray(value)) continue
    const reference = Array.isArray(value) ? undefined : own(value, "$ref")
    if (Predicate.isString(reference)) resolve(root, reference)
    for (const [key, child] of Object.entries(value)) if (!literal.has(key)) open.push(child)
  }
}
