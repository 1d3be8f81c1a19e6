// Parts of results that the library of clients does not know, of a later revision or of a server's own. It would refuse
// the whole result of an executed call because of one of them, so they are texts before it reads them.
import { Predicate } from "effect"
import { printable } from "./printable.ts"

/** Characters of a type or an address in a line. */
const maxShown = 200

const stringAt = (value: unknown, key: string): string | undefined =>
  Predicate.hasProperty(value, key) && Predicate.isString(value[key]) ? value[key] : undefined

const resourceOf = (part: unknown): unknown => Predicate.hasProperty(part, "resource") ? part.resource : undefined

const lineOf = (part: unknown): string => {
  const uri = stringAt(part, "uri") ?? stringAt(resourceOf(part), "uri")
  const shown = [stringAt(part, "type"), uri].flatMap((each) => each === undefined ? [] : [each.slice(0, maxShown)])
  return `(The tool has returned a part that cannot be read here${
    shown.length === 0 ? "" : `: ${printable(shown.join(", "))}`
  }.)`
}

/** Its own text if it has one, or a line that says what it is. */
const textOf = (part: unknown): string =>
  Predicate.isString(part) ? part : stringAt(part, "text") ?? stringAt(resourceOf(part), "text") ?? lineOf(part)

/** Changes a response with content: each part that is not `isKnown` becomes a text. */
export const toTexts = (message: unknown, isKnown: (part: unknown) => boolean): void => {
  const result = Predicate.hasProperty(message, "result") ? message.result : undefined
  if (!Predicate.hasProperty(result, "content")) return
  const parts: ReadonlyArray<unknown> = Array.isArray(result.content) ? result.content : [result.content]
  result.content = parts.map((part) => isKnown(part) ? part : { type: "text", text: textOf(part) })
}
