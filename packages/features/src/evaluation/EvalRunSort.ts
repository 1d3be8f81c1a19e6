// How a list of evaluation runs is sorted.
import type * as Sort from "@svc-runtime/domain/Sort"

export interface EvalRunSort {
  /** A column; an unknown one does not sort. */
  readonly by: string
  readonly order: Sort.Order
}

/** The columns that a list can be sorted by. Ties are broken by the order of creation. */
const sortable = [
  "id",
  "name",
  "eval_type",
  "agent_id",
  "team_id",
  "workflow_id",
  "model_id",
  "model_provider",
  "evaluated_component_name",
  "created_at",
  "updated_at"
] as const

export const isSortable = (column: string): column is (typeof sortable)[number] =>
  (sortable as ReadonlyArray<string>).includes(column)
