// Finds the charset of a text that declares none and is not Unicode: those of East Asia, whose characters have two
// bytes, and the Cyrillic ones. Libraries for this need a page of text; the cells of a small table are enough here,
// because the first byte of a character tells how common it is.

interface Charset {
  readonly name: string
  /** The weight of a character by its first byte: 1 for the common ones, -1 for rare ones, 0 for punctuation. */
  readonly weigh: (first: number, second: number) => number
  /** Whether a byte is a character of its own. */
  readonly isSingle?: (byte: number) => boolean
}

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

/** A word of Cyrillic has a capital at its start only. */
const cyrillic = [
  { name: "windows-1251", isSmall: (byte: number) => byte >= 0xe0 },
  { name: "koi8-r", isSmall: (byte: number) => within(byte, 0xc0, 0xdf) }
]

const smallShare = (bytes: Uint8Array, isSmall: (byte: number) => boolean): number => {
  let [letters, small, alone] = [0, 0, 0]
  for (let index = 0; index < bytes.length; index++) {
    if ((bytes[index] ?? 0) < 0xc0) continue
    const [before, after] = [bytes[index - 1] ?? 0, bytes[index + 1] ?? 0]
    letters += 1
    if (before < 0xc0 && after < 0xc0) alone += 1
    if (before < 0xc0 ? after >= 0xc0 : isSmall(bytes[index] ?? 0)) small += 1
  }
  return letters < 4 || alone > letters / 3 ? 0 : small / letters
}

/** The likely charset of bytes that are not UTF-8. Undefined: nothing speaks for any of them. */
export const legacyCharsetOf = (content: Uint8Array): string | undefined => {
  const bytes = content.subarray(0, sampleLength)
  let best: { readonly name: string; readonly weight: number } | undefined
  for (const charset of wide) {
    const weight = weightOf(bytes, charset)
    if (weight !== undefined && weight >= 0.5 && weight > (best?.weight ?? 0)) best = { name: charset.name, weight }
  }
  if (best !== undefined && best.weight >= 0.75) return best.name
  const found = cyrillic.find(({ isSmall }) => smallShare(bytes, isSmall) > 0.9)
  return found?.name ?? best?.name
}
