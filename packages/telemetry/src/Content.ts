// What spans say of prompts, answers, arguments and results: bounded, and without credentials.
import * as Redaction from "./Redaction.ts"

/** Characters of one value. */
const valueLimit = 16_384

/** Characters of all attributes of one span. */
export const spanLimit = 131_072

export const cut = (text: string, limit = valueLimit): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1)}…`

export const redacted = (text: string): string => Redaction.redact(text, [], valueLimit)

/** Writes JSON until `limit` characters are written: a value can be megabytes. */
class Writer {
  text = ""
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  write(value: unknown, depth: number): void {
    if (typeof value === "string") this.text += JSON.stringify(cut(value, this.#limit))
    else if (typeof value === "bigint") this.text += `"${value}"`
    else if (typeof value !== "object" || value === null) this.text += JSON.stringify(value) ?? "null"
    else if (depth > 32) this.text += "\"…\""
    else if (Array.isArray(value)) this.#writeAll("[", value.entries(), "]", depth)
    else if ("toJSON" in value && typeof value.toJSON === "function") this.write(value.toJSON(), depth + 1)
    else this.#writeAll("{", Object.entries(value), "}", depth)
  }

  #writeAll(open: string, entries: Iterable<readonly [string | number, unknown]>, close: string, depth: number): void {
    this.text += open
    let isFirst = true
    for (const [key, value] of entries) {
      if (value === undefined) continue
      if (this.text.length > this.#limit) return
      if (!isFirst) this.text += ","
      isFirst = false
      if (typeof key === "string") this.text += `${JSON.stringify(cut(key, 256))}:`
      this.write(value, depth + 1)
    }
    this.text += close
  }
}

/** A text as it is, and any other value as JSON. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return cut(value)
  const writer = new Writer(valueLimit)
  writer.write(value, 0)
  return cut(writer.text)
}

/** As an attribute: its text and its type. */
export const attributesOf = (name: "input" | "output", value: unknown): Readonly<Record<string, string>> =>
  value === undefined || value === null ? {} : {
    [`${name}.value`]: redacted(textOf(value)),
    [`${name}.mime_type`]: typeof value === "string" ? "text/plain" : "application/json"
  }

/** The attributes that are content. */
export const names: ReadonlySet<string> = new Set(["input.value", "output.value"])
