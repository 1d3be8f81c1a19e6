// The attributes of a span that code of authors has set, by `Effect.withSpan` or `Effect.annotateCurrentSpan`.
import type * as Span from "@svc-runtime/domain/Span"
import * as Content from "./Content.ts"
import * as Redaction from "./Redaction.ts"

/** The names of the service in events and links. Others are of authors. */
export const ofEventsAndLinks: ReadonlySet<string> = new Set([
  "error.type",
  "exception.message",
  "exception.stacktrace",
  "exception.type",
  "gen_ai.evaluation.explanation",
  "gen_ai.evaluation.name",
  "gen_ai.evaluation.score.label",
  "gen_ai.evaluation.score.value",
  "svc.link"
])

/** The limits of attributes in one span, and of characters in one value. */
const max = { attributes: 32, length: 1000 } as const

/** Effect's client of HTTP sets them inside of code of authors. They can have credentials. */
const isHeader = (name: string): boolean => /^http\.(?:request|response)\.header\./.test(name)

const shown = (value: Span.AttributeValue): Span.AttributeValue => {
  // credentials are removed before it is cut, because half of one is not found
  if (typeof value === "string") return Content.cut(Redaction.redact(value), max.length)
  return typeof value === "object" ? value.slice(0, max.attributes).map((text) => String(shown(text))) : value
}

/** As a stored trace shows them: limited in number and size, and without credentials. */
export const shownOf = ({ attributes, authored = [] }: Span.Span): Span.Attributes => {
  const found: Record<string, Span.AttributeValue> = {}
  for (const name of authored.filter((name) => !isHeader(name)).slice(0, max.attributes)) {
    const value = attributes[name]
    if (value !== undefined) found[name] = shown(value)
  }
  return found
}
