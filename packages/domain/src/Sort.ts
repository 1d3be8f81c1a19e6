// Sorting of lists. `sort_by` is free text on the wire: an unknown column is ignored.
import { Schema } from "effect"

export const Order = Schema.Literals(["asc", "desc"])
export type Order = typeof Order.Type

/** How a list is sorted. */
export interface Sort {
  /** A column. An unknown one does not sort. */
  readonly by: string
  readonly order: Order
}

/** Whether a list can be sorted by a column: it is one of these. Ties are broken by the order of creation. */
export const isOneOf =
  <const Column extends string>(columns: ReadonlyArray<Column>) => (column: string | undefined): column is Column =>
    (columns as ReadonlyArray<string | undefined>).includes(column)

/** Compares by a column, and equal ones by the order of creation. As in PostgreSQL, null is larger than everything. */
export const compare = <A>(
  order: Order,
  column: (item: A) => string | number | null | undefined,
  sequence: (item: A) => number
) => {
  const direction = order === "asc" ? 1 : -1
  return (left: A, right: A): number => {
    const [a, b] = [column(left) ?? null, column(right) ?? null]
    if (a === b) return direction * (sequence(left) - sequence(right))
    if (a === null) return direction
    if (b === null) return -direction
    return a < b ? -direction : direction
  }
}
