// Orders learnings by the words that they share with a text.
import type * as Learning from "./Learning.ts"

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2))

/** The learnings that share a word, the most words first. Equal ones keep their order. */
export const ranked = (
  learnings: ReadonlyArray<Learning.Learning>,
  query: string
): ReadonlyArray<Learning.Learning> => {
  const wanted = wordsOf(query)
  const scored = learnings.map((learning) => {
    const words = wordsOf(JSON.stringify(learning.content))
    return { learning, score: [...wanted].filter((word) => words.has(word)).length }
  })
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).map(({ learning }) => learning)
}
