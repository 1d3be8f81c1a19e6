// Where a text is cut. A place never separates the two halves of a character outside of the basic plane.

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

const splitsCharacter = (text: string, place: number) =>
  place > 0 && place < text.length && isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place))

/** The place at most `size` after `start`, and always after it: a character can be longer than the size. */
export const placeAfter = (text: string, start: number, size: number): number => {
  const end = Math.min(start + size, text.length)
  if (!splitsCharacter(text, end)) return end
  return end - 1 > start ? end - 1 : end + 1
}

/** Where the next chunk starts: `overlap` before the end of this one, if that is after the start of this one. */
export const startAfter = (text: string, start: number, end: number, overlap: number): number => {
  const next = end - overlap
  if (next <= start) return end
  return splitsCharacter(text, next) ? next + 1 : next
}

/** The last characters of a text. */
export const tail = (text: string, length: number): string => {
  const start = Math.max(0, text.length - length)
  return text.slice(splitsCharacter(text, start) ? start + 1 : start)
}

const sentenceEnd = /[.!?。！？][)"'’”\]]*(?:\s|$)|[。！？]|\n/g

const lastSentenceEnd = (window: string): number => {
  let last = 0
  for (const match of window.matchAll(sentenceEnd)) {
    const end = match.index + match[0].length
    // a full stop at the end of the window can be the middle of a number
    if (end < window.length || /\s$/.test(match[0])) last = end
  }
  return last
}

const lastBlank = (window: string): number => {
  let place = window.length
  while (place > 0 && !/\s/.test(window.charAt(place - 1))) place -= 1
  return place
}

/** Cuts a text that is too long at the ends of sentences, else between words, else at the size. */
export function* splitLong(text: string, size: number): Generator<string> {
  let start = 0
  while (start < text.length) {
    const end = placeAfter(text, start, size)
    if (end === text.length) return yield text.slice(start)
    const window = text.slice(start, end)
    const length = lastSentenceEnd(window) || lastBlank(window) || window.length
    yield window.slice(0, length)
    start += length
  }
}
