// Which end of a text may still become a match when more of it arrives.

/** One part of a pattern: an escape, a class, what begins a group, a quantifier, or a character. */
const part =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\k<[^>]*>|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}|[^]/gu

/** What looks back, or at what must not follow, reads what is there. It has no parts of its own that may be missing. */
const isRead = (opening: string): boolean => opening === "(?!" || opening === "(?<=" || opening === "(?<!"

/** What is no character of the text. */
const isSign = (each: string): boolean => /^(?:[()|^$*+?]|\(\?.*|\{\d.*)$/.test(each)

/**
 * A pattern that matches from where a match of the given one may begin, to the end of the text. It matches only what
 * reaches the end: what ends earlier is decided. What it does not match becomes no match, whatever follows.
 *
 * A pattern must not have a reference to a group, nor `(?!` inside of `(?!`.
 */
export const of = (pattern: RegExp): RegExp => {
  let written = ""
  let read = 0
  for (const [each] of pattern.source.matchAll(part)) {
    if (read > 0) {
      if (each.startsWith("(")) read++
      if (each === ")") read--
      written += each
    } else if (isRead(each)) {
      read = 1
      written += each
    } else {
      written += isSign(each) ? each : `(?:${each}|$)`
    }
  }
  return new RegExp(`(?:${written})$`, pattern.flags)
}
