// What the codes and texts of errors mean. `scripts/errors.ts` of the repository writes the data, from the sources.
import data from "./explanations.json" with { type: "json" }

export interface Explained {
  /** Undefined for a text without a code. */
  readonly code?: string
  /** Where the code occurs: a response, a failed run, a start, another protocol, or only the text. */
  readonly kind: string
  readonly cause: string
  readonly todo: string
  /** A path in docs. */
  readonly page: string
}

export const all: ReadonlyArray<Explained & { readonly code: string }> = data.codes

interface Sentence {
  readonly text: string
  readonly code: string
  readonly page: string
}

/** `…` in a text is what it inserts. */
const sentences: ReadonlyArray<Sentence> = Object.entries(data.sentences).flatMap(([page, codes]) =>
  Object.entries(codes).flatMap(([code, texts]) => texts.map((text) => ({ text, code, page })))
)

const explained = ({ code, page, text }: Sentence): Explained => {
  const known = all.find((each) => each.code === code)
  return known !== undefined
    // of one code many parts of the service make errors
    ? { ...known, page }
    : {
      ...(code === "" ? {} : { code }),
      kind: "text",
      cause: text,
      todo: "The text says what is wrong. The page has the rules of this part.",
      page
    }
}

const lettersIn = (text: string): number => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length

/** How many letters of the text one sentence determines. 0: it is another one. */
const fitOf = (sentence: string, text: string): number => {
  const parts = sentence.split("…").map((part) => part.trim()).filter((part) => lettersIn(part) > 0)
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at === -1) return 0
    from = at + part.length
  }
  return lettersIn(parts.join(""))
}

/** The same of a message, of which a person may have copied one sentence. */
const fit = (message: string, text: string): number =>
  fitOf(message, text) || message.split(/(?<=[.?!]) /).reduce((sum, sentence) => sum + fitOf(sentence, text), 0)

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? [])

/** How many words both have, if these are most of the sentence, or of a text of which only the beginning was copied. */
const likeness = (sentence: string, words: ReadonlySet<string>): number => {
  const own = wordsOf(sentence)
  const both = [...own].filter((word) => words.has(word)).length
  const isLike = both >= 5 && both >= own.size * 0.75 || both >= 6 && both >= words.size * 0.65
  return isLike ? both + both / own.size : 0
}

const leastLetters = 10

/** Those with the highest number, which has to be at least `least`. Of a code, or of a page, one suffices. */
const best = (numberOf: (text: string) => number, least: number): ReadonlyArray<Explained> => {
  const numbers = sentences.map(({ text }) => numberOf(text.toLowerCase()))
  const highest = numbers.reduce((one, other) => Math.max(one, other), 0)
  if (highest < least) return []
  const found = new Map<string, Explained>()
  for (const [index, sentence] of sentences.entries()) {
    const key = sentence.code === "" ? sentence.page : sentence.code
    if (numbers[index] === highest && !found.has(key)) found.set(key, explained(sentence))
  }
  return [...found.values()].slice(0, 3)
}

/** What a text names: a code, the status of a response, or the field of a body or of a line of the log. */
const namedIn = (text: string): ReadonlyArray<Explained> => {
  const exact = all.filter(({ code }) => code === text)
  if (exact.length > 0) return exact
  const status: string | undefined = new Map(Object.entries(data.statuses)).get(text.replace(/^http /i, ""))
  const [, field] = /\berror_(?:code|type)["']?\s*[:=]\s*["']?(\w+)/.exec(text) ?? []
  const name = status ?? field ?? text.toLowerCase().replaceAll(" ", "_")
  return all.filter(({ code }) => code === name || code.toLowerCase() === name)
}

/** What the text names, else the errors with a text that fits best, has the text in it, or has most of its words. */
export const find = (given: string): ReadonlyArray<Explained> => {
  const wanted = given.trim().replaceAll("\\\"", "\"")
  const named = namedIn(wanted)
  if (named.length > 0) return named
  const text = wanted.toLowerCase()
  const fits = best((sentence) => fit(sentence, text), leastLetters)
  if (fits.length > 0) return fits
  const isPart = lettersIn(text) > leastLetters
  const containing = best((sentence) => isPart && sentence.includes(text) ? 1 / sentence.length : 0, Number.MIN_VALUE)
  if (containing.length > 0) return containing
  const words = wordsOf(text)
  return best((sentence) => likeness(sentence, words), 5)
}
