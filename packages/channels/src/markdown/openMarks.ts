// Where a paragraph of Markdown may be cut, and which marks are open at its end. One pass from left to right: the end
// of a text that is still being written has no closing marks, which the parser would look for.

/** A mark that has opened something, such as `**`, and where. */
export interface OpenMark {
  readonly mark: string
  readonly at: number
}

/** From the first character to behind the last. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Marks {
  /** Links, codes, entities and escapes, in their order: nothing is cut inside of them. */
  readonly atoms: ReadonlyArray<Span>
  /** From the outermost. */
  readonly open: ReadonlyArray<OpenMark>
  /** A link or image without its end, and the text that it shows. */
  readonly link?: { readonly at: number; readonly text: string } | undefined
}

const maxOpen = 20

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character)
const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)

/** Runs of backticks by their length, from the last to the first, so that the next one of a length is at the end. */
const ticksOf = (text: string): Map<number, Array<number>> => {
  const found = new Map<number, Array<number>>()
  for (const match of text.matchAll(/`+/g)) {
    const places = found.get(match[0].length)
    if (places === undefined) found.set(match[0].length, [match.index])
    else places.push(match.index)
  }
  for (const places of found.values()) places.reverse()
  return found
}

/** Where the next run of so many backticks starts. Asked from left to right. */
const nextTicks = (ticks: Map<number, Array<number>>, length: number, from: number): number | undefined => {
  const places = ticks.get(length)
  let place = places?.at(-1)
  while (place !== undefined && place < from) {
    places?.pop()
    place = places?.at(-1)
  }
  return place
}

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/iy
const angle = /<[a-z][a-z\d+.-]{1,31}:[^\s<>]{0,2000}>/iy
const address = /https?:\/\/[^\s<>]+/iy
/** Behind the text of a link. */
const target = /\((?:\\.|[^()\s\\]|\([^()\s]{0,500}\)){0,2000}(?:\s+(?:"[^"]{0,500}"|'[^']{0,500}'))?\s*\)/y

const endOf = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

export const marksOf = (text: string): Marks => {
  const ticks = ticksOf(text)
  const atoms: Array<Span> = []
  const open: Array<OpenMark> = []
  const brackets: Array<number> = []
  let link: Marks["link"]
  const atom = (start: number, end: number): number => {
    // those inside of a link are part of it
    while ((atoms.at(-1)?.start ?? -1) >= start) atoms.pop()
    atoms.push({ start, end })
    return end
  }
  /** Closes or opens with a run of `*`, `_` or `~`. Inside of a word it does neither. */
  const run = (start: number, end: number): void => {
    const character = text[start] ?? ""
    const [before, after] = [text[start - 1], text[end]]
    let rest = end - start
    if (!isSpace(before) && !(isWord(before) && isWord(after) && character === "_")) {
      while (rest > 0) {
        const last = open.findLastIndex(({ mark }) => mark[0] === character && mark.length <= rest)
        const mark = open[last]?.mark
        if (mark === undefined) break
        open.length = last
        rest -= mark.length
      }
    }
    if (isWord(before) || isSpace(after) || open.length >= maxOpen) return
    if (character === "~") {
      if (rest === 2) open.push({ mark: "~~", at: end - 2 })
      return
    }
    if (rest >= 2) open.push({ mark: character.repeat(2), at: end - rest })
    if (rest === 1 || rest === 3) open.push({ mark: character, at: end - 1 })
  }
  const lastSpace = text.search(/\s\S*$/)
  let at = 0
  while (at < text.length) {
    const character = text[at]
    if (character === "\\" && at + 1 < text.length) at = atom(at, at + 2)
    else if (character === "`") {
      let end = at + 1
      while (text[end] === "`") end++
      const next = nextTicks(ticks, end - at, end)
      if (next === undefined && !isWord(text[at - 1])) {
        open.push({ mark: text.slice(at, end), at })
        return { atoms, open, link: undefined }
      }
      at = next === undefined ? end : atom(at, next + end - at)
    } else if (character === "*" || character === "_" || character === "~") {
      let end = at + 1
      while (text[end] === character) end++
      run(at, end)
      at = end
    } else if (character === "[") {
      brackets.push(text[at - 1] === "!" ? at - 1 : at)
      at++
    } else if (character === "]") {
      const start = brackets.pop()
      const end = start === undefined || text[at + 1] !== "(" ? undefined : endOf(target, text, at + 1)
      if (start !== undefined && text[at + 1] === "(" && end === undefined && at + 1 > lastSpace) {
        link = { at: start, text: text.slice(start + (text[start] === "!" ? 2 : 1), at) }
      }
      at = start === undefined || end === undefined ? at + 1 : atom(start, end)
    } else if (character === "&" || character === "<" || character === "h") {
      const end = character === "&"
        ? endOf(entity, text, at)
        : character === "<"
        ? endOf(angle, text, at)
        : isWord(text[at - 1])
        ? undefined
        : endOf(address, text, at)
      at = end === undefined ? at + 1 : atom(at, end)
    } else at++
  }
  const bracket = brackets.at(-1)
  // the text of a link that is written now, on the last line
  if (
    link === undefined && bracket !== undefined && text.length - bracket < 300 && !/\n|\] /.test(text.slice(bracket))
  ) {
    link = { at: bracket, text: text.slice(bracket + (text[bracket] === "!" ? 2 : 1)) }
  }
  return { atoms, open, link }
}
