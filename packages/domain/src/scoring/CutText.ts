// Bounds the texts that a judge reads, and that are stored with a score.

/** Characters of an answer or an input. */
const maxTextLength = 64 * 1024

export const cut = (text: string): string => {
  const rest = text.length - maxTextLength
  return (rest <= 0 ? text : `${text.slice(0, maxTextLength)}… (${rest} more characters)`).toWellFormed()
}
