// Text of others, made safe to show: control characters could move the cursor, change what was printed before, or hide
// and reorder what follows.

/** Control characters but tab and line feed, and marks of the direction of text. */
const unsafe = /(?![\t\n])\p{Cc}|\p{Bidi_Control}/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Unsafe characters are shown as escapes, such as `\u001b`. */
export const printable = (text: string): string => text.replaceAll("\r\n", "\n").replace(unsafe, escaped).toWellFormed()

/** Removes line breaks from a name or an address, because they could imitate a line of this tool. */
export const onOneLine = (text: string): string => printable(text).replace(/[\t\n\u2028\u2029]+/g, " ")
