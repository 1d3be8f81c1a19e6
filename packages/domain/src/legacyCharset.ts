// Finds the charset of a text that declares none and is not Unicode: those of East Asia, whose characters have two
// bytes, and those of one byte for scripts without Latin letters. Libraries for this need a page of text; the cells of
// a small table are enough here, because the first byte of a character, or the letter, tells how common it is.
import { Result } from "effect"

interface Charset {
  readonly name: string
  /** The weight of a character by its first byte: 1 for the common ones, -1 for rare ones, 0 for punctuation. */
  readonly weigh: (first: number, second: number) => number
  /** Whether a byte is a character of its own. */
  readonly isSingle?: (byte: number) => boolean
}

const decodeAs = (bytes: Uint8Array, name: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => new TextDecoder(name, { fatal: true }).decode(bytes)))

/** As much of a text as is looked at, in bytes. */
const sampleLength = 64 * 1024

const within = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to

/** In the order in which one wins over others of the same weight. */
const wide: ReadonlyArray<Charset> = [
  {
    name: "euc-kr",
    weigh: (first, second) => second < 0xa1 ? -1 : within(first, 0xb0, 0xc8) ? 1 : within(first, 0xa1, 0xa3) ? 0 : -1
  },
  {
    name: "gb18030",
    weigh: (first, second) => second < 0xa1 ? -1 : within(first, 0xb0, 0xd7) ? 1 : within(first, 0xa1, 0xa3) ? 0 : -1
  },
  {
    name: "big5",
    weigh: (first) => within(first, 0xa4, 0xc6) ? 1 : within(first, 0xa1, 0xa3) ? 0 : -1
  },
  {
    name: "shift_jis",
    weigh: (first, second) =>
      first === 0x82 || first === 0x83 && second <= 0x96 || within(first, 0x88, 0x97) ? 1 : first === 0x81 ? 0 : -1,
    isSingle: (byte) => within(byte, 0xa1, 0xdf)
  },
  {
    name: "euc-jp",
    weigh: (first, second) =>
      second < 0xa1 ? -1 : within(first, 0xb0, 0xcf) || first === 0xa4 || first === 0xa5 ? 1 : first === 0xa1 ? 0 : -1
  }
]

/** The mean weight of the characters that are not ASCII. Undefined: the bytes are no text of this charset. */
const weightOf = (bytes: Uint8Array, { isSingle, weigh }: Charset): number | undefined => {
  let [characters, weight, high] = [0, 0, 0]
  for (let index = 0; index < bytes.length; index++) {
    const first = bytes[index] ?? 0
    if (first < 0x80) continue
    characters += 1
    if (isSingle?.(first) === true) {
      weight -= 1
      continue
    }
    const second = bytes[index + 1] ?? 0
    // a sample of a longer text can end in the middle of a character
    if (second < 0x40) return index === sampleLength - 1 ? weight / characters : undefined
    // 0x83 begins the katakana, and is next to unused in western texts
    if (second >= 0x80 || first === 0x83) high += 1
    weight += weigh(first, second)
    index += 1
  }
  // letters of western texts stand alone between letters of ASCII
  return high < characters / 4 ? undefined : weight / characters
}

/** Charsets of one byte for scripts without Latin letters, with the common and rare letters of their languages. */
const scripts = [
  { name: "windows-1251", script: /\p{Script=Cyrillic}/u, common: "оеаинтсрвлкмі", rare: "йцщэфъёюхшжчґ" },
  { name: "koi8-r", script: /\p{Script=Cyrillic}/u, common: "оеаинтсрвлкм", rare: "йцщэфъёюхшжч" },
  { name: "windows-1253", script: /\p{Script=Greek}/u, common: "αοιετνσςρηάόίέκλμ", rare: "ξψζβφϊϋΐΰ" },
  { name: "windows-1255", script: /\p{Script=Hebrew}/u, common: "יוהלארמתבשםן", rare: "זטסגץףצ" },
  { name: "windows-1256", script: /\p{Script=Arabic}/u, common: "اليمونرتبعة", rare: "غظذضثئؤ" },
  { name: "windows-874", script: /\p{Script=Thai}/u, common: "านรอกเงมยลวดทส่้ี", rare: "ฃฅฆฌฎฏฐฑฒฬฯฦ๏๚๛" }
]

const isAsciiLetter = (byte = 0): boolean => within(byte | 0x20, 0x61, 0x7a)

/** Letters of Latin scripts stand next to letters of ASCII, and signs stand alone. */
const latinOf = (bytes: Uint8Array): { readonly isLatin: boolean; readonly letters: number } => {
  let [letters, beside] = [0, 0]
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0x80) continue
    letters += 1
    const [before = 0, after = 0] = [bytes[index - 1], bytes[index + 1]]
    if (isAsciiLetter(before) || isAsciiLetter(after) || before < 0x80 && after < 0x80) beside += 1
  }
  return { isLatin: beside > letters / 4, letters }
}

/** The share of common letters, less that of rare ones. A word has capitals at its start only, or no others. */
const shareOf = (bytes: Uint8Array, { common, name, rare, script }: typeof scripts[number]): number => {
  const text = decodeAs(bytes, name)
  if (text === undefined) return 0
  let [letters, known, foreign, afterSmall] = [0, 0, 0, false]
  for (const letter of text) {
    const small = letter.toLowerCase()
    if (letter < "\u00aa" || !/[\p{L}\p{M}]/u.test(letter)) {
      afterSmall = false
      continue
    }
    letters += 1
    if (!script.test(letter) || afterSmall && small !== letter) foreign += 1
    else if (common.includes(small)) known += 1
    else if (rare.includes(small)) known -= 1
    afterSmall = small === letter
  }
  return letters < 4 || foreign > letters / 20 ? 0 : known / letters
}

/** The likely charset of bytes that are not UTF-8. Undefined: nothing speaks for any of them. */
export const legacyCharsetOf = (content: Uint8Array): string | undefined => {
  const bytes = content.subarray(0, sampleLength)
  let best: { readonly name: string; readonly weight: number } | undefined
  for (const charset of wide) {
    const weight = weightOf(bytes, charset)
    if (weight !== undefined && weight >= 0.5 && weight > (best?.weight ?? 0)) best = { name: charset.name, weight }
  }
  const { isLatin, letters } = latinOf(bytes)
  if (isLatin && letters <= 2) return undefined
  if (best !== undefined && best.weight >= 0.75 || isLatin) return best?.name
  const [found] = scripts.map((each) => ({ name: each.name, share: shareOf(bytes, each) }))
    .filter(({ share }) => share >= 0.4)
    .toSorted((one, other) => other.share - one.share)
  return found?.name ?? best?.name
}
