// The similarity of two texts: 1 minus their Levenshtein distance, as a share of the longer text.

/** The time grows with the product of both lengths: 20 ms for two texts of this length. */
export const maxLength = 10_000

/** Rows of the table of distances that fit into the bits of a number. */
const rowsAtOnce = 32

/**
 * The characters that are inserted, removed or replaced, by the algorithm of Myers. The differences between 32 rows of
 * a column are two numbers: one has a bit for each difference of 1, and one for each of -1.
 */
const distance = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): number => {
  const ids = new Map<string, number>()
  for (const character of left) if (!ids.has(character)) ids.set(character, ids.size)
  const idsOfLeft = Uint32Array.from(left, (character) => ids.get(character) ?? 0)
  const idsOfRight = Uint32Array.from(right, (character) => ids.get(character) ?? ids.size)
  /** By the id of a character, the rows that have it. */
  const rowsOf = new Int32Array(ids.size + 1)
  /** Between two columns, in the last row of the table so far. */
  const steps = new Int8Array(right.length).fill(1)
  for (let start = 0; start < left.length; start += rowsAtOnce) {
    const rows = idsOfLeft.subarray(start, start + rowsAtOnce)
    rowsOf.fill(0)
    for (const [row, id] of rows.entries()) rowsOf[id] = (rowsOf[id] ?? 0) | (1 << row)
    const last = 1 << (rows.length - 1)
    let [rising, falling] = [-1, 0]
    for (let column = 0; column < right.length; column++) {
      const step = steps[column] ?? 0
      const equal = rowsOf[idsOfRight[column] ?? 0] ?? 0
      const fallsOrEqual = equal | falling
      const started = step < 0 ? equal | 1 : equal
      const across = (((started & rising) + rising) ^ rising) | started
      const rises = falling | ~(across | rising)
      const falls = rising & across
      steps[column] = (rises & last) === 0 ? ((falls & last) === 0 ? 0 : -1) : 1
      const nextRises = (rises << 1) | (step > 0 ? 1 : 0)
      rising = (falls << 1) | (step < 0 ? 1 : 0) | ~(fallsOrEqual | nextRises)
      falling = nextRises & fallsOrEqual
    }
  }
  return steps.reduce((sum, step) => sum + step, left.length)
}

/** The similarity of two texts. A text that is too long has none. */
export const of = (left: string, right: string): number | undefined => {
  // twice the limit in code units has at least the limit in characters
  if (Math.max(left.length, right.length) > 2 * maxLength) return undefined
  const [some, others] = [Array.from(left), Array.from(right)]
  const longer = Math.max(some.length, others.length)
  if (longer > maxLength) return undefined
  return longer === 0 ? 1 : 1 - distance(some, others) / longer
}
