// A table that fits a width. Columns that can wrap shrink, the widest first. Others keep their width, because a
// truncated token prefix or date is useless: where they do not fit, each row is a list of its cells.
import { onOneLine } from "./Printable.ts"
import type { Style } from "./Style.ts"
import { columnsOf, padded } from "./TextWidth.ts"

export interface Column {
  readonly title: string
  /** The text can wrap after a comma or a space. */
  readonly wraps?: boolean
}

const gap = "  "

const widest = (texts: ReadonlyArray<string>) => Math.max(0, ...texts.map(columnsOf))

const words = (text: string): ReadonlyArray<string> => text.split(/(?<=[ ,])/)

/** The minimum width of a wrapping column, without breaking a word. */
const narrowest = (texts: ReadonlyArray<string>): number => widest(texts.flatMap(words).map((word) => word.trimEnd()))

/** Pieces of at most `width`, broken after spaces and commas where there are any. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of words(text)) {
    if (columnsOf((line + word).trimEnd()) > width && line !== "") {
      lines.push(line.trimEnd())
      line = ""
    }
    line += word
  }
  return [...lines, line.trimEnd()]
}

interface Extent {
  readonly wanted: number
  readonly least: number
}

/** The widths of the columns; undefined if they do not fit. */
const fit = (extents: ReadonlyArray<Extent>, width: number): ReadonlyArray<number> | undefined => {
  const widths = extents.map(({ wanted }) => wanted)
  const total = () => widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1)
  while (total() > width) {
    const wrapping = widths.flatMap((width, at) => width > (extents[at]?.least ?? 0) ? [at] : [])
    if (wrapping.length === 0) return undefined
    const widestAt = wrapping.reduce((best, at) => (widths[at] ?? 0) > (widths[best] ?? 0) ? at : best)
    widths[widestAt] = (widths[widestAt] ?? 0) - 1
  }
  return widths
}

type Rows = ReadonlyArray<ReadonlyArray<string>>

/** A list for each row: `Title: cell`, without empty cells. */
const lists = (columns: ReadonlyArray<Column>, rows: Rows, { bold }: Style): string =>
  rows.map((row) => columns.flatMap(({ title }, at) => row[at] ? [`${bold(`${title}:`)} ${row[at]}`] : []).join("\n"))
    .join("\n\n")

export const table = (columns: ReadonlyArray<Column>, texts: Rows, width: number, style: Style): string => {
  const rows = texts.map((row) => row.map(onOneLine))
  const extents = columns.map(({ title, wraps = false }, at): Extent => {
    const cells = [title, ...rows.map((row) => row[at] ?? "")]
    return { wanted: widest(cells), least: wraps ? narrowest(cells) : widest(cells) }
  })
  const widths = fit(extents, width)
  if (widths === undefined) return lists(columns, rows, style)
  const lineOf = (cells: ReadonlyArray<string>) =>
    widths.map((width, at) => padded(cells[at] ?? "", width)).join(gap).trimEnd()
  const body = rows.flatMap((row) => {
    const cells = widths.map((width, at) => wrap(row[at] ?? "", width))
    const height = Math.max(...cells.map((lines) => lines.length))
    return Array.from({ length: height }, (_, line) => lineOf(cells.map((lines) => lines[line] ?? "")))
  })
  return [style.bold(lineOf(columns.map(({ title }) => title))), ...body].join("\n")
}
