// How a list of contents is sorted.
import type * as Sort from "@svc-runtime/domain/Sort"

export interface ContentSort {
  /** A column of `sortable`; an unknown one does not sort. */
  readonly by: string
  readonly order: Sort.Order
}

/** The columns that a list can be sorted by. Ties are broken by the order of creation. */
const sortable = ["content_id", "name", "type", "size", "status", "created_at", "updated_at"] as const

export const isSortable = (column: string): column is (typeof sortable)[number] =>
  (sortable as ReadonlyArray<string>).includes(column)
