// Finds tools by words: how often a tool has the words of a question, in its name most of all, and how rare they are
// among the tools (BM25). It needs no model.
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Predicate } from "effect"
import * as Words from "./Words.ts"

export interface Candidate {
  readonly tool: Tool
  /** What offers it, such as an MCP server. */
  readonly source: string | undefined
}

/** The tools that the model of a run gets only when it has found them, by their names. */
export interface Deferred {
  readonly candidates: ReadonlyMap<string, Candidate>
}

/** How much a word counts by where it is. */
const weights = { name: 2, source: 1, description: 1, parameter: 0.3 }

/** A word that means about the same as one of the question. */
const alikeShare = 0.4

/** Of the score of the best tool. What has less is noise. */
const leastShare = 0.25

/** Of a tool. Servers can describe hundreds. */
const maxParameters = 50

interface Indexed extends Candidate {
  readonly words: ReadonlyMap<string, number>
  readonly length: number
}

const known = new WeakMap<Tool, Indexed>()

const propertiesOf = ({ parameters }: Tool): ReadonlyArray<string> => {
  const properties = parameters["properties"]
  return Predicate.isObject(properties) ? Object.keys(properties).slice(0, maxParameters) : []
}

const indexed = ({ source, tool }: Candidate): Indexed => {
  const before = known.get(tool)
  if (before?.source === source && before !== undefined) return before
  const words = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of Words.of(text)) words.set(word, (words.get(word) ?? 0) + weight)
  }
  add(tool.name, weights.name)
  if (source !== undefined) add(source, weights.source)
  add(tool.description ?? "", weights.description)
  for (const name of propertiesOf(tool)) add(name, weights.parameter)
  const made = { tool, source, words, length: [...words.values()].reduce((sum, weight) => sum + weight, 0) }
  known.set(tool, made)
  return made
}

// The constants of BM25: how fast repeated words count less, and how much long texts are held back.
const saturation = 1.5
const lengthShare = 0.5

/** A word of a question with what means about the same. */
const meanings = (word: string): ReadonlyArray<readonly [string, number]> => [
  [word, 1],
  ...[...Words.alikeOf(word)].map((other) => [other, alikeShare] as const)
]

const rarityOf = (all: ReadonlyArray<Indexed>, word: string): number => {
  const having = all.filter(({ words }) => words.has(word)).length
  return Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
}

/** Tools between two of which other work of the node gets its turn. */
const batch = 250

/** The best tools for a question, at most so many. Tools that share no word with it are left out. */
export const best = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Candidate>,
  question: string,
  limit: number
) {
  const all: Array<Indexed> = []
  for (const candidate of candidates) {
    all.push(indexed(candidate))
    if (all.length % batch === 0) yield* Effect.yieldNow
  }
  const average = all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length)
  const scores = new Float64Array(all.length)
  for (const wanted of new Set(Words.of(question))) {
    // of a word and what means the same, the best one counts
    const found = new Float64Array(all.length)
    for (const [word, share] of meanings(wanted)) {
      const rarity = rarityOf(all, word)
      for (const [place, { length, words }] of all.entries()) {
        const count = words.get(word)
        if (count === undefined) continue
        const held = saturation * (1 - lengthShare + lengthShare * length / average)
        const score = share * rarity * count * (saturation + 1) / (count + held)
        if (score > (found[place] ?? 0)) found[place] = score
      }
    }
    for (const [place, score] of found.entries()) scores[place] = (scores[place] ?? 0) + score
    if (all.length > batch) yield* Effect.yieldNow
  }
  return all
    .flatMap((each, place) => (scores[place] ?? 0) > 0 ? [{ ...each, score: scores[place] ?? 0 }] : [])
    .toSorted((one, other) => other.score - one.score)
    .filter(({ score }, _, [first]) => score >= (first?.score ?? 0) * leastShare)
    .slice(0, limit)
    .map(({ source, tool }): Candidate => ({ source, tool }))
})
