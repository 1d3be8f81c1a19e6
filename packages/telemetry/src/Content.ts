// Prompts, answers, arguments and results in spans: limited in size, and without credentials.
import * as Redaction from "./Redaction.ts"

/** Characters of one value. */
const valueLimit = 16_384

/** Characters of all attributes of one span. */
export const spanLimit = 131_072

export const cut = (text: string, limit = valueLimit): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1)}…`

export const redacted = (text: string): string => Redaction.redact(text, [], valueLimit)

export const unreadable = "\"[unreadable]\""

/** The number of bytes of a binary value. */
const bytesOf = (value: object): number | undefined =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? value.byteLength : undefined

/** Writes JSON until `limit` characters are written: a value can be megabytes. Code of authors can be called. */
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
    else this.#writeObject(value, depth)
  }

  #writeObject(value: object, depth: number): void {
    const before = this.text.length
    try {
      const bytes = bytesOf(value)
      if (bytes !== undefined) this.text += `"[${bytes} bytes]"`
      else if (Array.isArray(value)) this.#writeList(value, depth)
      else if ("toJSON" in value && typeof value.toJSON === "function") this.write(value.toJSON(), depth + 1)
      else this.#writeFields(value as Readonly<Record<string, unknown>>, depth)
    } catch {
      this.text = this.text.slice(0, before) + unreadable
    }
  }

  #writeList(values: ReadonlyArray<unknown>, depth: number): void {
    this.text += "["
    for (const [index, value] of values.entries()) {
      if (this.text.length > this.#limit) return
      if (index > 0) this.text += ","
      this.write(value === undefined ? null : value, depth + 1)
    }
    this.text += "]"
  }

  // entries of a large object are not all made before the first is written
  #writeFields(values: Readonly<Record<string, unknown>>, depth: number): void {
    this.text += "{"
    let isFirst = true
    for (const key in values) {
      if (this.text.length > this.#limit) return
      if (!Object.hasOwn(values, key)) continue
      const value = this.#valueAt(values, key)
      if (value === undefined) continue
      if (!isFirst) this.text += ","
      isFirst = false
      this.text += `${JSON.stringify(cut(key, 256))}:`
      this.write(value, depth + 1)
    }
    this.text += "}"
  }

  #valueAt(values: Readonly<Record<string, unknown>>, key: string): unknown {
    try {
      return values[key]
    } catch {
      return "[unreadable]"
    }
  }
}

/** A text as it is, and the beginning of any other value as JSON. */
const written = (value: unknown): string => {
  if (typeof value === "string") return value
  const writer = new Writer(valueLimit)
  writer.write(value, 0)
  return writer.text
}

export const textOf = (value: unknown): string => cut(written(value))

const none = {}

/** As an attribute: its text and its type. It is redacted before it is cut, because half a credential is not found. */
export const attributesOf = (name: "input" | "output", value: unknown): Readonly<Record<string, string>> => {
  if (value === undefined || value === null) return none
  const text = redacted(written(value))
  const type = typeof value === "string" ? "text/plain" : "application/json"
  // literals without computed names are cheaper
  return name === "input"
    ? { "input.value": text, "input.mime_type": type }
    : { "output.value": text, "output.mime_type": type }
}

/** An attribute of events: the reason of a score. */
export const explanation = "gen_ai.evaluation.explanation"

/** The attributes that are content. */
export const names: ReadonlySet<string> = new Set(["input.value", "output.value", explanation])
