// JSON of what callers give. `JSON.stringify` makes {} of a Map and null of NaN, and leaves out a function: all of them
// would be lost unseen.

const todos: Readonly<Record<string, string>> = {
  Map: ". Write Object.fromEntries(…) around it",
  Set: ". Write [...…] around it",
  Promise: ". Write await before it"
}

const boxes: ReadonlyArray<string> = ["[object Boolean]", "[object Number]", "[object String]"]

/** Whether it is an object of a primitive, as of `new Number(5)`. JSON has its primitive. */
export const isBoxed = (value: unknown): value is object =>
  typeof value === "object" && boxes.includes(Object.prototype.toString.call(value))

/** Whether it is an object of no class. */
export const isPlain = (value: object): boolean => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOf = (value: object): string => {
  const name = String(value.constructor?.name ?? "?")
  if (name === "") return "an instance of a class without a name"
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}${todos[name] ?? ""}`
}

/** What the value is, if JSON has nothing of it. */
export const lostIn = (value: unknown): string | undefined => {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  if (isBoxed(value)) return lostIn(value.valueOf())
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length > 0) {
    return undefined
  }
  return isPlain(value) ? undefined : nameOf(value)
}

/** Throws for a part of which JSON has nothing. `name` is that of the whole. */
export const jsonText = (value: unknown, name: string): string =>
  JSON.stringify(value, (key, part: unknown) => {
    const lost = lostIn(part)
    if (lost !== undefined) throw new TypeError(`JSON has nothing of '${key || name}', which is ${lost}`)
    return part
  })
