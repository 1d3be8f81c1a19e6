// Sorting of lists. `sort_by` is free text on the wire: an unknown column is ignored.
import { Schema } from "effect"

export const Order = Schema.Literals(["asc", "desc"])
export type Order = typeof Order.Type

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
