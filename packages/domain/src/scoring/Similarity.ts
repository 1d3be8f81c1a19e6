// The similarity of two texts: 1 minus their Levenshtein distance, as a share of the longer text.

/** The time grows with the product of both lengths. */
export const longest = 10_000

/** The characters that are inserted, removed or replaced. */
const distance = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number => {
  let previous = Uint32Array.from({ length: right.length + 1 }, (_, index) => index)
  let next = new Uint32Array(right.length + 1)
  for (const [row, character] of left.entries()) {
    next[0] = row + 1
    for (let column = 0; column < right.length; column++) {
      const replaced = (previous[column] ?? 0) + (character === right[column] ? 0 : 1)
      next[column + 1] = Math.min(replaced, (previous[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1)
    }
    const free = previous
    previous = next
    next = free
  }
  return previous[right.length] ?? 0
}

/** Undefined if a text is too long. */
export const of = (left: string, right: string): number | undefined => {
  // twice the limit in code units has at least the limit in characters
  if (Math.max(left.length, right.length) > 2 * longest) return undefined
  const [some, others] = [Array.from(left), Array.from(right)]
  const longer = Math.max(some.length, others.length)
  if (longer > longest) return undefined
  return longer === 0 ? 1 : 1 - distance(some, others) / longer
}
