// When a paused workflow continues by itself: it shows one requirement, and can also wait for a time.
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import * as ExecutorApprovals from "./ExecutorApprovals.ts"
import { Paused } from "./Interruption.ts"

/** The time that the requirement itself waits for. */
const ownOf = ({ requirement }: Paused): ReadonlyArray<EpochSeconds> => {
  const awaited = "executor_requirements" in requirement ? ExecutorApprovals.awaited(requirement) : undefined
  return awaited === undefined || awaited.approvals.length > 0 ? [] : [awaited.wakesAt]
}

/** The pause that is shown, with the earliest time of it and of others. */
export const earliest = (shown: Paused, others: ReadonlyArray<Paused>, limit?: EpochSeconds): Paused => {
  const { kind, requirement, step_index, step_name, wakeAt } = shown
  const times = [
    ...others.flatMap((each) => [
      ...each.requirement === requirement ? [] : ownOf(each),
      ...each.wakeAt === undefined ? [] : [each.wakeAt]
    ]),
    ...wakeAt === undefined ? [] : [wakeAt],
    ...limit === undefined ? [] : [limit]
  ]
  return times.length === 0
    ? shown
    : new Paused({ kind, requirement, step_index, step_name, wakeAt: Math.min(...times) as EpochSeconds })
}
