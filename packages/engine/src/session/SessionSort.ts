// How a list of sessions is sorted.
import type * as Sort from "@svc-runtime/domain/Sort"

export interface SessionSort {
  /** A column; an unknown one does not sort. `updated_at` falls back to `created_at`. */
  readonly by: string
  readonly order: Sort.Order
}

/** The columns that a list can be sorted by. Ties are broken by the order of creation. */
export const sortable = [
  "session_id",
  "session_type",
  "session_name",
  "agent_id",
  "team_id",
  "workflow_id",
  "user_id",
  "created_at",
  "updated_at"
] as const
export type Sortable = (typeof sortable)[number]

export const isSortable = (column: string): column is Sortable => (sortable as ReadonlyArray<string>).includes(column)
