// The columns that a text takes in a terminal.

/** Scripts of East Asia and emoji take two columns. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u

/** Marks that are combined with the character before them. */
const none = /[\p{Mn}\p{Me}\p{Cf}]/u

const ofCharacter = (character: string): number => none.test(character) ? 0 : wide.test(character) ? 2 : 1

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

export const columnsOf = (text: string): number =>
  isAscii(text) ? text.length : Array.from(text).reduce((sum, character) => sum + ofCharacter(character), 0)

export const padded = (text: string, width: number): string =>
  `${text}${" ".repeat(Math.max(0, width - columnsOf(text)))}`

/** The beginning that takes at most `width` columns. */
export const cut = (text: string, width: number): string => {
  if (isAscii(text)) return text.slice(0, Math.max(0, width))
  let shown = ""
  let used = 0
  for (const character of text) {
    used += ofCharacter(character)
    if (used > width) break
    shown += character
  }
  return shown
}
