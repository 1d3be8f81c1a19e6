// Providers cut the text of an answer where they like, also between the two halves of a character such as an emoji.
// Clients in other languages cannot join halves, and a database replaces them: a half at the end of a delta waits here
// for its other half, and each half without the other is replaced.
import type { Response } from "effect/ai"

type Part = Response.StreamPartEncoded
type Word = Response.TextDeltaPartEncoded | Response.ReasoningDeltaPartEncoded

const isWord = (part: Part): part is Word => part.type === "text-delta" || part.type === "reasoning-delta"

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Takes the parts of one stream in their order. */
export const make = () => {
  let waiting: { readonly word: Word; readonly half: string } | undefined

  const word = (part: Word): ReadonlyArray<Part> => {
    const isNext = waiting !== undefined && waiting.word.type === part.type && waiting.word.id === part.id
    const text = isNext ? `${waiting?.half}${part.delta}` : part.delta
    if (isNext) waiting = undefined
    if (!isFirstHalf(text.charCodeAt(text.length - 1))) return [{ ...part, delta: text.toWellFormed() }]
    const before = waiting === undefined ? [] : ended(waiting.word)
    waiting = { word: part, half: text.slice(-1) }
    const delta = text.slice(0, -1).toWellFormed()
    return delta === "" && part.metadata === undefined ? before : [...before, { ...part, delta }]
  }

  /** The other half has not come. */
  const ended = ({ id, type }: Word): ReadonlyArray<Part> => {
    waiting = undefined
    return [{ type, id, delta: "\ufffd" }]
  }

  const next = (part: Part): ReadonlyArray<Part> => {
    if (isWord(part)) return word(part)
    if (waiting === undefined) return [part]
    const isEnd = part.type === "finish" || part.type === "text-end" || part.type === "reasoning-end"
    return isEnd ? [...ended(waiting.word), part] : [part]
  }

  return (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
    waiting === undefined && parts.every((part) => !isWord(part) || part.delta.isWellFormed())
      ? parts
      : parts.flatMap(next)
}
