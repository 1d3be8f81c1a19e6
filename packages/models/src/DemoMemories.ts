// How the demo model keeps memories: it repeats what users say about themselves in a few fixed phrases.

import { Option, Schema } from "effect"

/** The name of the format in which a service asks for changes of memories. */
export const formatName = "MemoryChanges"

/** The name of the format in which a service asks for learnings. */
export const learningFormat = "LearningChanges"

const statement = /\b(?:my name is|i am|i live|i work|i like|i love|i prefer)\b[^.!?"“”\n]{1,200}/gi

/** Empty for lines of others. */
export const userTextOf = (line: string): string => {
  if (!line.startsWith(`{"user":`)) return ""
  const { user } = JSON.parse(line) as { readonly user: unknown }
  return String(user)
}

/** What users say in a conversation of one JSON message in each line, without what is known. */
const freshIn = (conversation: string, known: string): ReadonlyArray<string> => {
  const found = conversation.split("\n").flatMap((line) => userTextOf(line).match(statement) ?? [])
  return [...new Set(found.map((text) => text.trim()))].filter((text) => !known.includes(text)).slice(0, 10)
}

/** New memories. */
export const changes = (conversation: string, known: string) => {
  return {
    changes: freshIn(conversation, known).map((text) => ({
      action: "create",
      id: "",
      memory: `The user says: ${text}`,
      topics: [],
      reason: "The user says so"
    }))
  }
}

/** Learnings: memories of the user, if the schema has them. */
export const learned = (conversation: string, known: string, schema: unknown) =>
  JSON.stringify(schema ?? {}).includes(`"user_memory"`)
    ? { user_memory: freshIn(conversation, known).map((text) => ({ memory: `The user says: ${text}` })) }
    : {}

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The fields of learnings that are sentences. */
const sentences = ["name", "description", "summary", "decision", "outcome", "title", "learning", "content"]

const sentencesIn = (content: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const { facts = [], memories = facts } = content
  const own = sentences.flatMap((field) => typeof content[field] === "string" ? [String(content[field])] : [])
  return [...own, ...(Array.isArray(memories) ? memories.flatMap(sentencesIn) : [])]
}

/** What a system message shows of learnings. */
export const learnedIn = (system: string): ReadonlyArray<string> => {
  const [, block = ""] = /<learnings>\n[^\n]*\n([^]*?)\n<\/learnings>/.exec(system) ?? []
  return block.split("\n").flatMap((line) => {
    const content = Option.getOrUndefined(parse(line.replace(/^- \w+: /, "")))
    return content === undefined ? [] : [sentencesIn(content).join(": ")]
  }).filter((text) => text !== "")
}

/** What a system message shows of the user. */
export const shownIn = (system: string): ReadonlyArray<string> => {
  const [, block = ""] = /<memories_about_the_user>\n([^]*?)\n<\/memories_about_the_user>/.exec(system) ?? []
  return block.split("\n").filter((line) => line.startsWith("- ")).map((line) => line.slice(2))
}
