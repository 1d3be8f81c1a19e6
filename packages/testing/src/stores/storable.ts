/** A text as a `text` column has it: a database has no U+0000, and no half of a surrogate pair. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")
