// What a judge or an endpoint gets of a text: pieces that overlap, up to a longest text.
import { Effect } from "effect"

/** Characters of one piece, and of two at once: what is at a border is whole in one of them. */
const [size, shared] = [20_000, 500]

/** A longer text is not judged. */
export const maxLength = 200_000

const piecesOf = (text: string): ReadonlyArray<string> => {
  const count = Math.max(1, Math.ceil((text.length - shared) / (size - shared)))
  return Array.from({ length: count }, (_, index) => {
    const from = index * (size - shared)
    return text.slice(from, from + size).toWellFormed()
  })
}

/** Judges one piece after the other, until something is found. */
export const judged = Effect.fnUntraced(function*<A, E, R>(
  text: string,
  judge: (piece: string) => Effect.Effect<A | undefined, E, R>
) {
  for (const piece of piecesOf(text)) {
    const found = yield* judge(piece)
    if (found !== undefined) return found
  }
  return undefined
})
