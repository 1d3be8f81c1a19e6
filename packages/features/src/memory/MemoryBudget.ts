// How much of the memories a call reads.
import type * as Owner from "@svc-runtime/domain/Owner"

export interface MemoryBudget {
  /** Only memories of this agent, or of this team. */
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  /** Of the texts together. */
  readonly maxBytes: number
  readonly maxCount: number
}

/** The maximum that `topics` reads and gives. */
export const topicLimits = { memories: 10_000, topics: 1000 } as const

/** The bytes of a user in `statistics`, approximately. */
export const statisticsBytes = 600

/** What `apply` gives. */
export const appliedBudget: MemoryBudget = { maxBytes: 1024 * 1024, maxCount: 1000 }

/** How many memories of a user are compared by their vectors, after a coarse choice among all. */
export const comparedAtOnce = { context: 32, search: 100 } as const

/** The memories in which a short text is searched, of those of all users. */
export const shortSearchLimit = 3000

/** Of the memories of all users, by less than three letters or digits in a row, which no index finds. */
export const isShortSearch = (
  { owner, search }: { readonly owner: Owner.Owner; readonly search?: string | undefined }
): boolean => owner._tag === "Anyone" && search !== undefined && !/[\p{L}\p{N}]{3}/u.test(search)
