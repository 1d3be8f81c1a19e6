// A long text as patterns read it: pieces that overlap, so that what is at a border is whole in one of them.

/** Characters of a piece that are its own, those before it, for what stands in front of a match, and those after it. */
const [own, before, after] = [40_000, 1000, 24_000]

export interface Piece {
  readonly text: string
  /** Where it begins in the whole text, and the part of it that is its own. */
  readonly at: number
  readonly from: number
  readonly to: number
  readonly isLast: boolean
}

export function* of(text: string): Generator<Piece> {
  for (let from = 0; from === 0 || from < text.length; from += own) {
    const isLast = text.length <= from + own + after
    const to = isLast ? text.length : from + own
    const at = Math.max(0, from - before)
    yield { text: text.slice(at, isLast ? text.length : to + after), at, from, to, isLast }
    if (isLast) return
  }
}
