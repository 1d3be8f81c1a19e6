// The rows of a table as text. The names of the columns are in each row, because a row is searched without the others.

/** A row is a line: line ends inside of its fields become blanks. */
export const oneLine = (field: string): string => field.replace(/\s+/g, " ").trim()

const maxName = 100
/** Titles and notes can be above the names. */
const maxAbove = 10
const compared = 20

const filled = (row: ReadonlyArray<string>): number => row.reduce((count, field) => field === "" ? count : count + 1, 0)

const isName = (field: string): boolean => /\p{L}/u.test(field) && !field.startsWith("=")

/** A year, or the date of a day or a month. */
const isTime = (field: string): boolean =>
  /^(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2}$|^\d{1,2}[-/.](?:\d{1,2}[-/.])?\d{4}$/.test(field)

/** Names are different texts, and next to each column has one. Times are names beside each other: 2024, 2025. */
const areNames = (row: ReadonlyArray<string>, after: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const names = row.filter((field) => field !== "")
  const words = names.filter((field) => field.length <= maxName && isName(field)).length
  const times = names.filter((field) => field.length <= maxName && isTime(field)).length
  return names.length > 1 && words + times === names.length && times !== 1 && (times === 0 || words < 3) &&
    new Set(names).size === names.length &&
    after.some((each) => filled(each) > 1) && after.every((each) => filled(each) <= names.length + 1) &&
    !(times > 0 && after.some((each) => each.some(isTime)))
}

/** Rows above the names are titles and merged names, which have less different texts. Others have values. */
const areValues = (row: ReadonlyArray<string>, names: number): boolean =>
  new Set(row.filter((field) => field !== "")).size >= Math.max(names, 2)

const namesAt = (rows: ReadonlyArray<ReadonlyArray<string>>): number => {
  const place = rows.slice(0, maxAbove + 1)
    .findIndex((row, index) => areNames(row, rows.slice(index + 1, index + 1 + compared)))
  const names = filled(rows[place] ?? [])
  return rows.slice(0, Math.max(place, 0)).some((row) => areValues(row, names)) ? -1 : place
}

/** `Name: value, Size: 3` for the fields that have a value. */
export const labelled = (names: ReadonlyArray<string>, row: ReadonlyArray<string>): ReadonlyArray<string> =>
  row.flatMap((field, column) =>
    field === "" ? [] : [`${oneLine(names[column] ?? "") || `Column ${column + 1}`}: ${field}`]
  )

/**
 * A line for each row that has a value. The fields are one line each. The names of the columns are left out where they
 * would make the text longer than the limit.
 */
export const textOf = (rows: ReadonlyArray<ReadonlyArray<string>>, maxLength: number): string => {
  const place = namesAt(rows)
  const names = place < 0 ? [] : rows[place] ?? []
  let length = 0
  const lines: Array<string> = []
  for (const [index, row] of rows.entries()) {
    if (index === place) continue
    const line = (index < place || place < 0 ? row : labelled(names, row)).join(", ")
    length += line.length
    if (place >= 0 && length > maxLength) return rows.map((each) => each.join(", ")).join("\n")
    lines.push(line)
  }
  return lines.join("\n")
}
