// The attributes of a span that code of authors has set, by `Effect.withSpan` or `Effect.annotateCurrentSpan`.
import type * as Span from "@svc/domain/Span"
import * as Redaction from "./Redaction.ts"

/** Names of the service, with or without what follows a dot. */
const known: ReadonlySet<string> = new Set([
  "db",
  "embedding",
  "error.type",
  "exception",
  "gen_ai",
  "http",
  "input",
  "llm",
  "mcp",
  "openinference",
  "output",
  "server.address",
  "session.id",
  "svc",
  "tool.name",
  "url.path",
  "user.id"
])

export const isAuthored = (name: string): boolean => {
  const at = name.indexOf(".")
  return !known.has(name) && !known.has(at < 0 ? name : name.slice(0, at))
}

/** Of one span, and characters of one value. */
const max = { attributes: 32, length: 1000 } as const

const shown = (value: Span.AttributeValue): Span.AttributeValue => {
  if (typeof value === "string") return Redaction.redact(value, [], max.length)
  return typeof value === "object" ? value.slice(0, max.attributes).map((text) => String(shown(text))) : value
}

/** As a stored trace shows them: limited in number and size, and without credentials. */
export const shownOf = (attributes: Span.Attributes): Span.Attributes => {
  const found: Record<string, Span.AttributeValue> = {}
  let count = 0
  for (const name in attributes) {
    const value = attributes[name]
    if (value === undefined || !isAuthored(name) || count === max.attributes) continue
    found[name] = shown(value)
    count++
  }
  return found
}
