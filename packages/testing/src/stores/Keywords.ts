// The search in texts for the store in memory, like `websearch_to_tsquery` of PostgreSQL: all words, "a phrase", `or`,
// and `-` before what must be absent.
import { searchedLength } from "@svc-runtime/features/knowledge/KnowledgeLimits"

interface Term {
  readonly words: ReadonlyArray<string>
  readonly isAbsent: boolean
}

/** One of the lists, each of which asks for all of its terms. */
export type Keywords = ReadonlyArray<ReadonlyArray<Term>>

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

export const parse = (text: string): Keywords => {
  const lists: Array<Array<Term>> = [[]]
  for (const [whole, minus, phrase, word] of text.slice(0, searchedLength).matchAll(/(-?)(?:"([^"]*)"|(\S+))/g)) {
    if (whole.toLowerCase() === "or") {
      lists.push([])
      continue
    }
    const words = wordsOf(phrase ?? word ?? "")
    if (words.length > 0) lists.at(-1)?.push({ words, isAbsent: minus === "-" })
  }
  return lists.filter((list) => list.length > 0)
}

const countOf = (words: ReadonlyArray<string>, phrase: ReadonlyArray<string>): number =>
  words.filter((_, index) => phrase.every((word, offset) => words[index + offset] === word)).length

/** Undefined: the text does not match. */
export const score = (keywords: Keywords, text: string): number | undefined => {
  const words = wordsOf(text)
  const scores = keywords.flatMap((terms) => {
    const counts = terms.map((term) => ({ count: countOf(words, term.words), isAbsent: term.isAbsent }))
    return counts.every(({ count, isAbsent }) => isAbsent === (count === 0))
      ? [counts.reduce((sum, { count }) => sum + count, 0)]
      : []
  })
  return scores.length === 0 ? undefined : Math.max(...scores) / (1 + Math.log(1 + words.length))
}

/** Undefined: the text has none of the words. Texts with more of them come first. */
export const partialScore = (query: string, text: string): number | undefined => {
  const words = new Set(wordsOf(text))
  const count = [...new Set(wordsOf(query.slice(0, searchedLength)))].filter((word) => words.has(word)).length
  return count === 0 || /"|(^|\s)-/.test(query) ? undefined : count
}
