// Merged cells of the tables of Rich Text have their text in each of their places.
import { oneLine } from "./table.ts"

/** What merged cells add to a document, in characters. */
const maxRepeated = 1024 * 1024

interface Cell {
  /** It belongs to the cell on its left. */
  readonly isAcross: boolean
  /** It belongs to the cell above it. */
  readonly isDown: boolean
}

const single: Cell = { isAcross: false, isDown: false }

export class RtfCells {
  #defined: Array<Cell> = []
  #next = single
  #row: Array<string> = []
  #above: ReadonlyArray<string> = []
  #repeated = 0

  /** Whether no cell of the row has ended. */
  get isRowEmpty(): boolean {
    return this.#row.length === 0
  }

  /** A control word about the cells of the row. */
  define(word: string): void {
    if (word === "trowd") {
      this.#defined = []
      this.#next = single
    } else if (word === "clmrg") this.#next = { ...this.#next, isAcross: true }
    else if (word === "clvmrg") this.#next = { ...this.#next, isDown: true }
    else if (word === "cellx") {
      this.#defined.push(this.#next)
      this.#next = single
    }
  }

  /** The text that the cell has from others. */
  endCell(own: string): string {
    const place = this.#row.length
    const { isAcross, isDown } = this.#defined[place] ?? single
    const line = oneLine(own)
    const other = (isAcross ? this.#row[place - 1] : isDown ? this.#above[place] : undefined) ?? ""
    if (line !== "" || this.#repeated + other.length > maxRepeated) {
      this.#row.push(line)
      return ""
    }
    this.#repeated += other.length
    this.#row.push(other)
    return other
  }

  endRow(): void {
    this.#above = this.#row
    this.#row = []
  }
}
