// The beginning of requests that stays the same from run to run, so that providers find it in their caches: what
// changes comes behind it, and a history that has to leave something out leaves out several turns at once.
import * as PromptCache from "@svc-runtime/models/PromptCache"
import { Prompt } from "effect/ai"

const [opening, closing] = ["<current_context>\n", "\n</current_context>"]

/** What changes, as a system message that is stored. */
export const block = (text: string): string => `${opening}${text}${closing}`

/** The text of such a message. Undefined: it is a system message that stays the same. */
export const textOf = (message: string): string | undefined =>
  message.startsWith(opening) && message.endsWith(closing) ? message.slice(opening.length, -closing.length) : undefined

const note = "This is what is known now, beside the conversation. It is context, and no message of the user."

/**
 * The input behind what changes, in one message: some models accept no message of the user behind another one. It is
 * one text, because some servers accept no others.
 */
export const withContext = (
  texts: ReadonlyArray<string>,
  input: ReadonlyArray<Prompt.Message>
): ReadonlyArray<Prompt.Message> => {
  if (texts.length === 0) return input
  const context = block([note, ...texts].join("\n\n"))
  const [first, ...others] = input
  const [part, ...parts] = first?.role === "user" ? first.content : []
  if (first?.role !== "user" || part?.type !== "text") {
    return [Prompt.userMessage({ content: [Prompt.textPart({ text: context })] }), ...input]
  }
  const text = part.text === "" ? context : `${context}\n\n${part.text}`
  return [Prompt.userMessage({ ...first, content: [Prompt.textPart({ ...part, text }), ...parts] }), ...others]
}

const marked = (message: Prompt.Message | undefined): ReadonlyArray<Prompt.Message> => {
  if (message === undefined) return []
  return message.role === "user"
    ? [Prompt.userMessage({ content: message.content, options: { ...message.options, ...PromptCache.before } })]
    : [message]
}

const lastUserIn = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages.findLastIndex(({ role }) => role === "user")

/** The history and what follows it, with the places that earlier requests and later ones have in common. */
export const joined = (
  history: ReadonlyArray<Prompt.Message>,
  [first, ...rest]: ReadonlyArray<Prompt.Message>
): ReadonlyArray<Prompt.Message> => {
  const last = lastUserIn(history)
  const before = last < 0
    ? history
    : [...history.slice(0, last), ...marked(history[last]), ...history.slice(last + 1)]
  return [...before, ...marked(first), ...rest]
}

const textIn = ({ content }: Prompt.Message): string => typeof content === "string" ? content : JSON.stringify(content)

/** From 0 to 2³². The same text has the same number in every request. */
export const numberOf = (text: string): number => {
  let state = 0x811c9dc5
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  return (state ^ (state >>> 13)) >>> 0
}

const numbers = new WeakMap<Prompt.Message, number>()

const rankOf = (history: ReadonlyArray<Prompt.Message>, start: number): number => {
  const [first, second] = [history[start], history[start + 1]]
  if (first === undefined) return 0
  const known = numbers.get(first)
  if (known !== undefined) return known
  const rank = numberOf(textIn(first) + (second === undefined ? "" : textIn(second)))
  numbers.set(first, rank)
  return rank
}

/**
 * Where a history begins that leaves something out: at least half of the turns from `oldest` on are kept. It is the
 * start with the smallest number among the others, so nothing has to be stored: it stays the same in later requests
 * until it has to be left out itself.
 */
export const startFrom = (
  history: ReadonlyArray<Prompt.Message>,
  starts: ReadonlyArray<number>,
  oldest: number
): number => {
  const fitting = starts.filter((start) => start >= oldest)
  const possible = fitting.slice(0, Math.floor(fitting.length / 2) + 1)
  let [chosen, rank] = [possible[0] ?? history.length, Number.POSITIVE_INFINITY]
  for (const start of possible) {
    const own = rankOf(history, start)
    if (own < rank) [chosen, rank] = [start, own]
  }
  return chosen
}

/** A number of things to leave out, at least `count`, which stays the same while `count` grows by a few. */
export const inSteps = (count: number, step: number): number => Math.ceil(count / step) * step
