// A search of words in the sections of the documents, the best section first. Words are counted once for each page that
// a process searches: there is no index to be made or stored.
import { Function } from "effect"
import { plain, type Section, sectionsOf } from "./Sections.ts"

export interface Page {
  /** From the folder of the documents, with `.md`. */
  readonly path: string
  readonly text: string
}

export interface Found {
  readonly path: string
  /** Of the page. */
  readonly title: string
  /** The heading of the section, with those above it, without the title. */
  readonly section: string
  readonly anchor: string
  /** The part of the section that has most of the words. */
  readonly excerpt: string
}

interface Indexed extends Omit<Found, "excerpt"> {
  readonly text: string
  /** How much each word counts: those of headings count more. */
  readonly weights: ReadonlyMap<string, number>
  readonly length: number
}

const tooCommon = new Set(
  ("a an and are as at be by can do does for from get has have how i if in into is it its make my need needs of on or " +
    "that the there this to use want way what when where which with").split(" ")
)

/** Words with one stem count as the same: `confirms`, `confirmed` and `confirmation`. */
const stemOf = (word: string): string => word.replace(/(?<=.{4})(?:ations?|ings?|ed|ions?|ies|es|e|y)$|(?<=.{3})s$/, "")

/** Of a name such as `requiresConfirmation` its parts too. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((name) => {
    const parts = name.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})|\p{L}+/gu) ?? []
    return parts.length > 1 ? [name, ...parts] : [name]
  }).map((word) => word.toLowerCase()).filter((word) => !tooCommon.has(word))

/** A word and its stem. */
const formsOf = (word: string): ReadonlyArray<string> => {
  const stem = stemOf(word)
  return stem === word ? [word] : [word, stem]
}

const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(stemOf))

/** The parts of a section that an excerpt can show. A row of a table is one. */
const blocksOf = (text: string): ReadonlyArray<string> =>
  text.replace(/^#.*\n/, "").split(/\n\s*\n|\n(?=[|]|\s*[-*] )/)
    .map((block) =>
      plain(block.replaceAll(/^[^\S\n]*(```|~~~).*$/gm, "")).replaceAll(/(?<!\s)\s*\|[\s|]*/g, " · ").replaceAll(
        /\s+/g,
        " "
      )
    )
    .map((block) => block.replaceAll(/^[ ·]+|(?<![ ·])[ ·]+$/g, "")).filter((block) => /\p{L}/u.test(block))

const longest = 240

const excerptOf = (text: string, stems: ReadonlySet<string>): string => {
  const blocks = blocksOf(text)
  // of two with as many of the words, the longer one says more
  const scores = blocks.map((block) =>
    [...stemsOf(block)].filter((stem) => stems.has(stem)).length + Math.min(block.length, longest) / 1000
  )
  const best = blocks[scores.indexOf(Math.max(...scores))] ?? ""
  if (best.length <= longest) return best
  const first = best.split(" ").reduce(
    ({ at, found }, word) =>
      found >= 0 || ![...stemsOf(word)].some((stem) => stems.has(stem))
        ? { at: at + word.length + 1, found }
        : { at, found: at },
    { at: 0, found: -1 }
  ).found
  const start = first < longest / 2 ? 0 : best.lastIndexOf(" ", first - longest / 3) + 1
  const end = best.lastIndexOf(" ", start + longest)
  return `${start > 0 ? "… " : ""}${best.slice(start, end > start ? end : undefined)}${end < best.length ? " …" : ""}`
}

/** Reasons, history and lists of pages are rarely what a reader looks for. */
const factorOf = (path: string): number =>
  /^design\/|^reference\/(compatibility|conformance)|(^|\/)README\.md$/.test(path) ? 0.5 : 1

const indexed = Function.memoize(({ path, text }: Page): ReadonlyArray<Indexed> => {
  const sections = sectionsOf(text)
  const title = sections.find(({ level }) => level === 1)?.heading ?? path
  const above: Array<Section> = []
  return sections.map((section): Indexed => {
    while ((above.at(-1)?.level ?? 0) >= section.level) above.pop()
    above.push(section)
    const names = above.filter(({ level }) => level > 1).map(({ heading }) => heading)
    const weights = new Map<string, number>()
    const count = (words: ReadonlyArray<string>, weight: number) => {
      for (const form of words.flatMap(formsOf)) weights.set(form, (weights.get(form) ?? 0) + weight)
    }
    const words = wordsOf(section.text)
    count(words, 1)
    count(wordsOf(section.heading), 5)
    count(wordsOf(`${title} ${path.replace(/\.md$/, "")}`), section.level === 1 ? 4 : 2)
    return {
      path,
      title,
      section: names.join(" › "),
      anchor: section.anchor,
      text: section.text,
      weights,
      length: words.length
    }
  })
})

/** How often a word is in a section, and its stem. The beginning of a word counts half. */
const timesOf = ({ weights }: Indexed, word: string): number => {
  const exact = formsOf(word).reduce((sum, form) => sum + (weights.get(form) ?? 0), 0)
  if (exact > 0 || word.length < 4) return exact
  let times = 0
  for (const [other, weight] of weights) if (other.startsWith(word)) times += weight / 2
  return times
}

/** Names of options, settings, codes and functions: what is no usual word. */
const namesIn = (query: string): ReadonlyArray<string> =>
  (query.match(/[\w.]+/g) ?? []).filter((name) => /[_\d]|\w\.\w|[a-z][A-Z]/.test(name)).map((name) =>
    name.toLowerCase()
  )

/** The names that a section defines: its heading, and the first cells of its tables. */
const definedIn = (text: string): ReadonlySet<string> =>
  new Set(
    Array.from(text.matchAll(/^(?:#+ (.*)|\| (`[^|]*) \|)/gm), ([, heading = "", cell = ""]) => heading + cell)
      .flatMap((defining) => defining.match(/[\w.]+/g) ?? []).map((name) => name.toLowerCase())
  )

/** A section that defines a name of the query is what a reader looks for. */
const definition = 4

const perPage = 2

/** The sections with the words of a query, by BM25. A section with more of the words is before one with fewer. */
export const search = (pages: ReadonlyArray<Page>, query: string, limit: number): ReadonlyArray<Found> => {
  const sections = pages.flatMap(indexed)
  const words = new Set(wordsOf(query))
  const stems = stemsOf(query)
  const names = namesIn(query)
  const factors = sections.map(({ path, text }) => {
    const defined = names.length === 0 ? undefined : definedIn(text)
    return factorOf(path) * (names.some((name) => defined?.has(name)) ? definition : 1)
  })
  const mean = sections.reduce((sum, { length }) => sum + length, 0) / Math.max(sections.length, 1)
  const scores = sections.map(() => ({ score: 0, matched: 0 }))
  for (const word of words) {
    const times = sections.map((section) => timesOf(section, word))
    const having = times.filter((time) => time > 0).length
    const rarity = Math.log(1 + (sections.length - having + 0.5) / (having + 0.5))
    for (const [index, time] of times.entries()) {
      const [score, section] = [scores[index], sections[index]]
      if (time === 0 || score === undefined || section === undefined) continue
      score.score += rarity * time * 2.2 / (time + 1.2 * (0.25 + 0.75 * section.length / mean))
      score.matched++
    }
  }
  return sections.map((section, index) => ({ section, ...scores[index] }))
    .map(({ matched = 0, score = 0, section }, index) => ({
      section,
      score: score * (matched / words.size) ** 2 * (factors[index] ?? 1)
    }))
    .filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score)
    // a page with many sections leaves room for others
    .filter(({ section: { path } }, index, all) =>
      all.slice(0, index).filter((before) => before.section.path === path).length < perPage
    )
    .slice(0, limit)
    .map(({ section: { anchor, path, section, text, title } }) => ({
      path,
      title,
      section,
      anchor,
      excerpt: excerptOf(text, stems)
    }))
}
