// What differs between two texts, line by line.
export interface Line {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Cells of the table of common lines. Beyond that, all lines between the common ends are shown as changed. */
const maxCells = 4_000_000

const as = (kind: Line["kind"]) => (text: string): Line => ({ kind, text })

export const differences = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const minLength = Math.min(before.length, after.length)
  let start = 0
  while (start < minLength && before[start] === after[start]) start++
  let end = 0
  while (end < minLength - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [
    ...before.slice(0, start).map(as("same")),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(as("same"))
  ]
}

const between = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const width = after.length + 1
  if ((before.length + 1) * width > maxCells) return [...before.map(as("removed")), ...after.map(as("added"))]
  // the number of common lines from a line of each text on
  const common = new Uint16Array((before.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] = before[row] === after[column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const found: Array<Line> = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [one, other] = [before[row], after[column]]
    if (one !== undefined && one === other) {
      found.push({ kind: "same", text: one })
      row++
      column++
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      found.push({ kind: "removed", text: one })
      row++
    } else {
      found.push({ kind: "added", text: other ?? "" })
      column++
    }
  }
  return found
}

export interface Gap {
  readonly kind: "gap"
  readonly lines: number
}

/** Leaves out lines that are far from a change. */
export const nearChanges = (lines: ReadonlyArray<Line>, context = 3): ReadonlyArray<Line | Gap> => {
  const isNear = lines.map(() => false)
  lines.forEach(({ kind }, index) => {
    if (kind !== "same") isNear.fill(true, Math.max(0, index - context), index + context + 1)
  })
  const shown: Array<Line | Gap> = []
  let left = 0
  lines.forEach((line, index) => {
    if (isNear[index] !== true) return void left++
    if (left > 0) shown.push({ kind: "gap", lines: left })
    left = 0
    shown.push(line)
  })
  if (left > 0) shown.push({ kind: "gap", lines: left })
  return shown
}
