// How the demo model answers from knowledge: it repeats the first text that was found, and names where it is from.
import { Option, Predicate, Schema } from "effect"

/** The tool that searches the knowledge of an agent. */
export const toolName = "search_knowledge"

/** Characters of the text. */
const maxLength = 600

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Unknown)))

/** The answer from a result, a JSON text, if it has texts of contents. */
export const say = (result: unknown): string | undefined => {
  const parsed = parse(result)
  if (Option.isNone(parsed)) return undefined
  const [first] = parsed.value
  if (first === undefined) return "The knowledge base has nothing about it."
  if (!Predicate.hasProperty(first, "content") || !Predicate.isString(first.content)) return undefined
  const source = Predicate.hasProperty(first, "name") && Predicate.isString(first.name) ? ` (${first.name})` : ""
  return `${first.content.slice(0, maxLength).trim()}${source}`
}

/** The first text of knowledge in a system message, with its source. */
export const shownIn = (system: string): string | undefined =>
  say(/<references>\n([^\n]*)\n<\/references>/.exec(system)?.[1])
