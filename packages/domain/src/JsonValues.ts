// The number of values in JSON text, which is counted before it is decoded: the time to decode and to check JSON grows
// with its values, whatever their size, and a node does nothing else meanwhile.

const codeOf = (sign: string) => sign.charCodeAt(0)
const [quote, backslash, comma] = [codeOf("\""), codeOf("\\"), codeOf(",")]
const opening: ReadonlySet<number> = new Set([codeOf("["), codeOf("{")])

/** The place behind a string. Its end is the first quote behind an even number of backslashes. */
const behindString = (text: string, start: number): number => {
  for (let end = text.indexOf("\"", start); end !== -1; end = text.indexOf("\"", end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((end - before) % 2 === 0) return end + 1
  }
  return text.length
}

/**
 * Counts items of lists, fields of objects, lists and objects, however deep: a decoder would make a list of each of
 * millions of brackets. Text that is not JSON, or that is nested too deep, is refused later.
 */
export const exceed = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false
  let count = 0
  for (let at = 0; at < text.length && count <= limit; at++) {
    const sign = text.charCodeAt(at)
    if (sign === quote) at = behindString(text, at + 1) - 1
    else if (sign === comma || opening.has(sign)) count++
  }
  return count > limit
}

export const tooMany = (subject: string, limit: number): string =>
  `${subject} has more than ${limit} JSON values (MAX_JSON_VALUES)`
