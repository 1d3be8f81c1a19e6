// How many learnings the service keeps, and how many agents write and read: of one user (MAX_LEARNINGS_PER_USER), and
// without an owner, proposed by one user and not approved yet (MAX_PROPOSED_LEARNINGS_PER_USER).
import { Context } from "effect"

/** Learnings of one owner in one namespace that agents write, proposed ones counted apart. */
export const namespaceLimit = 1000

/** The maximum that a run reads. */
export const relevantLimits = { learnings: 100, bytes: 512 * 1024 } as const

export interface Limits {
  readonly perUser: number
  readonly proposedPerUser: number
}

export const defaultLimits: Limits = { perUser: 10_000, proposedPerUser: 100 }

export const LearningLimit = Context.Reference<Limits>("@svc-runtime/features/learning/LearningLimit", {
  defaultValue: () => defaultLimits
})
