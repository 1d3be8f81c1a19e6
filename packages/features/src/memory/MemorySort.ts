// How a list of memories is sorted.
import type * as Sort from "@svc-runtime/domain/Sort"

export interface MemorySort {
  /** A column; an unknown one does not sort. */
  readonly by: string
  readonly order: Sort.Order
}

/** The columns that a list can be sorted by. Ties are broken by the order of creation. */
const sortable = ["memory_id", "user_id", "agent_id", "team_id", "created_at", "updated_at"] as const

export const isSortable = (column: string): column is (typeof sortable)[number] =>
  (sortable as ReadonlyArray<string>).includes(column)
