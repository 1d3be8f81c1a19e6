// Which learnings a list has, and in which order.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Sort from "@svc-runtime/domain/Sort"

/** The fields by which a list is filtered. */
export const filterable = [
  "learning_type",
  "agent_id",
  "team_id",
  "session_id",
  "namespace",
  "entity_id",
  "entity_type"
] as const

export interface LearningFilter {
  readonly owner: Owner.Owner
  /** Whether learnings without an owner are listed beside those of a user. */
  readonly includesShared: boolean
  /** Only proposed learnings, or only the others. */
  readonly isProposed?: boolean | undefined
  readonly fields: { readonly [Field in (typeof filterable)[number]]?: string | undefined }
}

export interface LearningSort {
  /** A column. An unknown one, or none, sorts by `updated_at`, the newest first. */
  readonly by: string | undefined
  readonly order: Sort.Order
}

/** How many learnings behind the page are counted for the total. */
export const maxCountedBeyond = 1000

/** Whether the list has all learnings of one user, or all of a type, and no others. The store counts those. */
export const isCounted = ({ fields: { learning_type: _, ...others }, ...filter }: LearningFilter): boolean =>
  filter.owner._tag === "User" && !filter.includesShared && filter.isProposed === undefined &&
  Object.values(others).every((value) => value === undefined)

export const sortable = [
  "learning_id",
  "learning_type",
  "namespace",
  "user_id",
  "agent_id",
  "team_id",
  "session_id",
  "entity_id",
  "entity_type",
  "created_at",
  "updated_at"
] as const

const isSortable = Sort.isOneOf(sortable)

export const columnOf = (
  { by, order }: LearningSort
): { readonly by: (typeof sortable)[number]; readonly order: Sort.Order } =>
  isSortable(by) ? { by, order } : { by: "updated_at", order: "desc" }
