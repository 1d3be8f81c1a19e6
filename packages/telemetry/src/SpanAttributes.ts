// The attributes of a span, an event or a link that has not ended: limited in number and size.
import type * as Span from "@svc-runtime/domain/Span"
import * as Content from "./Content.ts"

/** More than any span needs. Further ones are left out. */
const maxCount = 128

/** Characters of a name. */
const maxNameLength = 256

/** Reading a value of an author can throw. */
const textsOf = (value: unknown): Span.AttributeValue => {
  try {
    if (!Array.isArray(value)) return Content.textOf(value)
    const texts: Array<string> = []
    for (let at = 0; at < Math.min(value.length, maxCount); at++) texts.push(Content.textOf(value[at]))
    return texts
  } catch {
    return Content.unreadable
  }
}

const valueOf = (value: unknown): Span.AttributeValue | undefined => {
  switch (typeof value) {
    case "string":
      return Content.cut(value)
    case "number":
      return Number.isFinite(value) ? value : String(value)
    case "boolean":
      return value
    case "undefined":
      return undefined
    default:
      if (value === null) return undefined
      return textsOf(value)
  }
}

/** A text is redacted before it is cut, because half of a credential is not found. Other values are cut first. */
const redactedValueOf = (given: unknown): Span.AttributeValue | undefined => {
  const value = valueOf(typeof given === "string" ? Content.redacted(given) : given)
  if (typeof value === "string") return typeof given === "string" ? value : Content.redacted(value)
  return typeof value === "object" ? value.map(Content.redacted) : value
}

const sizeOf = (value: Span.AttributeValue): number => {
  if (typeof value === "string") return value.length
  return typeof value === "object" ? value.reduce((sum, { length }) => sum + length, 0) : 8
}

/** The characters that are left for the attributes of a span, its events and its links. */
export interface Room {
  left: number
}

export class SpanAttributes {
  readonly values: Record<string, Span.AttributeValue> = {}
  readonly #room: Room
  #count = 0

  constructor(room: Room) {
    this.#room = room
  }

  /** Its name, if it has the value now. */
  set(whole: string, given: unknown): string | undefined {
    return given === undefined ? undefined : this.#setValue(whole, valueOf(given))
  }

  /** As `set`, without texts that look like credentials. */
  setRedacted(whole: string, given: unknown): string | undefined {
    return this.#setValue(whole, redactedValueOf(given))
  }

  #setValue(whole: string, value: Span.AttributeValue | undefined): string | undefined {
    const name = Content.cut(whole, maxNameLength)
    if (value === undefined || name === "__proto__") return undefined
    const known = Object.hasOwn(this.values, name) ? this.values[name] : undefined
    if (known === undefined && this.#count >= maxCount) return undefined
    const more = sizeOf(value) + (known === undefined ? name.length : -sizeOf(known))
    if (more > this.#room.left) return undefined
    if (known === undefined) this.#count++
    this.#room.left -= more
    this.values[name] = value
    return name
  }

  /** As `setRedacted`, up to one that cannot be read. */
  setAll(given: Readonly<Record<string, unknown>>): void {
    try {
      for (const name in given) this.setRedacted(name, given[name])
    } catch {
      // of an author, whose code must not fail
    }
  }
}
