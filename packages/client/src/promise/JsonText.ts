// JSON of what callers give. `JSON.stringify` makes {} of a Map and null of NaN, and leaves out a function: all of them
// would be lost unseen.

const todos: Readonly<Record<string, string>> = {
  Map: ". Write Object.fromEntries(…) around it",
  Set: ". Write [...…] around it",
  Promise: ". Write await before it"
}

const plain = (prototype: object | null): boolean => prototype === null || Object.getPrototypeOf(prototype) === null

/** What the value is, if JSON has nothing of it. */
export const lostIn = (value: unknown): string | undefined => {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length > 0) {
    return undefined
  }
  const prototype: object | null = Object.getPrototypeOf(value)
  if (plain(prototype)) return undefined
  const name = String(prototype?.constructor?.name ?? "?")
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}${todos[name] ?? ""}`
}

/** Throws for a part of which JSON has nothing. `name` is that of the whole. */
export const jsonText = (value: unknown, name: string): string =>
  JSON.stringify(value, (key, part: unknown) => {
    const lost = lostIn(part)
    if (lost !== undefined) throw new TypeError(`JSON has nothing of '${key || name}', which is ${lost}`)
    return part
  })
