// Normalizes texts for patterns: characters that only look different get their ASCII form, and hidden ones are removed.

/** Characters that are not shown. They split words and numbers. */
export const hidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{20E3}]/gu

/** Digits of all scripts, dashes, spaces, wide and mathematical forms, dots of domains, and what is not shown. */
const unusual =
  /(?![\0-\x7F])[\p{Nd}\p{Pd}\p{Zs}\p{Cf}\p{Default_Ignorable_Code_Point}\u{20E3}\u{B2}\u{B3}\u{B9}\u{2070}-\u{2079}\u{2080}-\u{2089}\u{2212}\u{2460}-\u{249B}\u{24B6}-\u{24EA}\u{3002}\u{FF01}-\u{FF61}\u{1D400}-\u{1D7FF}]/gu

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

/** Digits of a script follow each other, from zero on. */
const digitOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  let first = code
  while (isDigit(first - 1)) first--
  return String((code - first) % 10)
}

const normalizedOf = (character: string): string => {
  if (character.replaceAll(hidden, "") === "") return ""
  if (/[\p{Pd}\u2212]/u.test(character)) return "-"
  if (/[\u3002\uFF61]/.test(character)) return "."
  const composed = character.normalize("NFKC")
  return /^\p{Nd}$/u.test(composed) && composed > "9" ? digitOf(composed) : composed
}

/** Of each unusual character that was seen: a text repeats few of them. */
const known = new Map<string, string>()

const writtenOf = (character: string): string => {
  const found = known.get(character)
  if (found !== undefined) return found
  const normalized = normalizedOf(character)
  if (known.size < 4096) known.set(character, normalized)
  return normalized
}

export interface NormalizedText {
  readonly text: string
  /** From here on, the normalized text is `by` characters before the original one. In order. */
  readonly shifts: ReadonlyArray<{ readonly from: number; readonly by: number }>
}

const isAscii = (text: string): boolean => !/[^\0-\x7F]/.test(text)

export const make = (text: string): NormalizedText => {
  if (isAscii(text)) return { text, shifts: [] }
  const shifts: Array<{ from: number; by: number }> = []
  let [normalized, end] = ["", 0]
  for (const { 0: character, index } of text.matchAll(unusual)) {
    const written = writtenOf(character)
    normalized += text.slice(end, index) + written
    end = index + character.length
    if (written.length !== character.length) shifts.push({ from: normalized.length, by: end - normalized.length })
  }
  return { text: normalized + text.slice(end), shifts }
}

/** The offset in the original text for an offset in the normalized one. */
export const originalOffset = ({ shifts }: Pick<NormalizedText, "shifts">, offset: number): number => {
  let [low, high] = [0, shifts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((shifts[middle]?.from ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const original = offset + (shifts[low - 1]?.by ?? 0)
  const next = shifts[low]
  // one character can have several here
  return next === undefined ? original : Math.min(original, next.from + next.by)
}
