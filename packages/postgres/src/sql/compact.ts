// The driver hashes the text of a statement at each execution, and its servers parse it on each connection.
const comments = /--[^\n]*/g
const spaces = /\s+/g

/** A statement without comments and indentation. It must have no spaces or dashes in its literals. */
export const compact = (statement: string): string => statement.replaceAll(comments, "").replaceAll(spaces, " ").trim()
