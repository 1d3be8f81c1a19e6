// How many learnings the service keeps of one user (MAX_LEARNINGS_PER_USER), and how many without an owner one user has
// proposed that wait for an approval (MAX_PROPOSED_LEARNINGS_PER_USER).
import { Context } from "effect"

export interface Limits {
  readonly perUser: number
  readonly proposedPerUser: number
}

export const defaultLimits: Limits = { perUser: 10_000, proposedPerUser: 100 }

export const LearningLimit = Context.Reference<Limits>("@svc-runtime/features/learning/LearningLimit", {
  defaultValue: () => defaultLimits
})
