// Reads one variable from the text of an env file. It does not interpolate, and does not change the environment.

/** The text behind the `=` as it stands, or nothing when the line assigns nothing to the variable. */
const assignedBy = (line: string, name: string): ReadonlyArray<string> => {
  const at = line.indexOf("=")
  if (line.startsWith("#") || at < 0) return []
  return line.slice(0, at).replace(/^export[ \t]+/, "").trim() === name ? [line.slice(at + 1)] : []
}

/** A quoted value ends at its quote. An unquoted one ends at a `#` after a blank. */
const plain = (given: string): string => {
  const value = given.trim()
  const quote = value[0]
  if (quote !== "'" && quote !== "\"") return (given.split(/[ \t]#/)[0] ?? "").trim()
  const end = value.indexOf(quote, 1)
  return end < 0 ? value : value.slice(1, end)
}

/** The last assignment of the variable; empty without one. */
export const valueIn = (text: string, name: string): string =>
  plain(
    text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).flatMap((line) => assignedBy(line.trim(), name)).at(-1) ?? ""
  )
