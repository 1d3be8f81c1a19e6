import { splitLong, tail } from "./cutting.ts"

const separator = "\n\n"

function* split(text: string, size: number): Generator<string> {
  for (const part of splitLong(text, size)) {
    const trimmed = part.trim()
    if (trimmed !== "") yield trimmed
  }
}

/** Joins pieces while they fit into the size. Pieces that are too long are split. */
export function* pack(pieces: Iterable<string>, size: number): Generator<string> {
  let packed = ""
  for (const piece of pieces) {
    const text = piece.trim()
    if (text === "") continue
    if (packed !== "" && packed.length + separator.length + text.length > size) {
      yield packed
      packed = ""
    }
    if (text.length > size) yield* split(text, size)
    else packed = packed === "" ? text : packed + separator + text
  }
  if (packed !== "") yield packed
}

/** Prepends the end of the previous chunk. */
export const withTail = (previous: string, chunk: string, overlap: number): string =>
  overlap === 0 ? chunk : tail(previous, overlap) + chunk

/** The parts between blank lines. */
export function* paragraphs(text: string): Generator<string> {
  const blankLines = /\n[^\S\n]*\n\s*/g
  let start = 0
  for (const match of text.matchAll(blankLines)) {
    yield text.slice(start, match.index)
    start = match.index + match[0].length
  }
  yield text.slice(start)
}
