// A text as a column has it. PostgreSQL has no text with U+0000 in it, and UTF-8 has no lone surrogates. They are
// replaced, not removed, so that no id becomes another one. Stores in memory, and what compares with stored texts, do
// the same.
export const replacement = "\ufffd"

export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", replacement)
