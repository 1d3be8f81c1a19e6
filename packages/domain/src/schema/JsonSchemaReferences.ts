// The references of a JSON Schema: to itself (`#`) and to its definitions, in both drafts.
import { type JsonSchema, Predicate } from "effect"

export type Node = JsonSchema.JsonSchema | boolean

export const isNode = (value: unknown): value is Node => Predicate.isObject(value) || Predicate.isBoolean(value)

/** The own property `key` of `object`. Inherited properties are not part of a schema. */
export const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined

const prefixes = ["$defs", "definitions"]

/** An invalid percent-encoding is kept as it is. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    const bytes = Uint8Array.from(encoded.slice(1).split("%"), (byte) => Number.parseInt(byte, 16))
    return new TextDecoder().decode(bytes)
  })

/** The name of a definition in a reference: percent-encoded, with `~0` and `~1`. */
const nameIn = (reference: string, prefix: string): string | undefined => {
  if (!reference.startsWith(`#/${prefix}/`)) return undefined
  const pointer = reference.slice(prefix.length + 3)
  return decoded(pointer).replaceAll("~1", "/").replaceAll("~0", "~")
}

/** Throws for an unknown definition. */
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

/** Keywords whose values are data, not schemas. */
const literal: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"])

/** Throws for a dangling reference. */
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
