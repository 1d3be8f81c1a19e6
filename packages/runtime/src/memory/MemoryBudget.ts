// How much of the memories of a user a call reads.

export interface MemoryBudget {
  /** Only memories of this agent, or of this team. */
  readonly agent_id?: string | undefined
  readonly team_id?: string | undefined
  /** Of the texts together. */
  readonly maximumBytes: number
  readonly maximumCount: number
}

/** The maximum that `topics` reads and gives. */
export const topicLimits = { memories: 10_000, topics: 1000 } as const

/** What `apply` gives. */
export const appliedBudget: MemoryBudget = { maximumBytes: 1024 * 1024, maximumCount: 1000 }

/** How many memories of a user are compared by their vectors, after a coarse choice among all. */
export const comparedAtOnce = { context: 32, search: 100 } as const

/** The memories in which a short text is searched, of those of all users. */
export const shortSearchLimit = 10_000
