// The words that a passage has in common with a question.
const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A passage in pieces: every second one is a word of the question. */
export const markedOf = (text: string, question: string): ReadonlyArray<string> => {
  // short words say nothing
  const words = [...new Set(wordsOf(question))].filter((word) => word.length > 2)
  return words.length === 0
    ? [text]
    : text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})(?![\\p{L}\\p{N}])`, "giu"))
}
