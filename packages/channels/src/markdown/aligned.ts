// A table as text of one width, for platforms without tables.
/** The cells are plain texts. The first row is the header. */
export interface Table {
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly align: ReadonlyArray<"center" | "left" | "right" | null>
}

/** Wider cells are not filled up, and are cut nowhere. */
const maxWidth = 40

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\p{Extended_Pictographic}]/u
const narrow = /\p{M}|[\u200b-\u200d]/u

/** In places of a font of one width. Characters of East Asia and emojis have two. */
const widthOf = (text: string): number => {
  if (/^[\u0020-\u024f]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += narrow.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

const filled = (text: string, width: number, align: Table["align"][number] | undefined): string => {
  const rest = Math.max(width - widthOf(text), 0)
  const before = align === "right" ? rest : align === "center" ? Math.floor(rest / 2) : 0
  return `${" ".repeat(before)}${text}${" ".repeat(rest - before)}`
}

/** The first row is the header, with a line below it. */
export const aligned = ({ align, rows }: Table): string => {
  const [header = [], ...others] = rows
  const widths = header.map((_, column) =>
    Math.min(rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? "")), 1), maxWidth)
  )
  const line = (row: ReadonlyArray<string>) =>
    widths.map((width, column) => filled(row[column] ?? "", width, align[column])).join(" | ").trimEnd()
  return [line(header), widths.map((width) => "-".repeat(width)).join("-+-"), ...others.map(line)].join("\n")
}
