// What a workflow shows that waits for several things at the same time, and when it continues by itself.
import * as Json from "@svc-runtime/domain/Json"
import type { EpochSeconds } from "@svc-runtime/domain/Time"
import { Predicate } from "effect"
import * as ExecutorApprovals from "./ExecutorApprovals.ts"
import { Paused } from "./Interruption.ts"

const toolOf = (call: Json.Value) => Json.isObject(call) ? call["tool_execution"] : undefined

/** Whether a call waits for an event. */
export const isForEvent = (call: Json.Value): boolean => {
  const tool = toolOf(call)
  return Predicate.hasProperty(tool, "asked") && Predicate.hasProperty(tool.asked, "event")
}

/** A person decides it. Other requirements wait for times and events only. */
const isForPerson = ({ requirement }: Paused): boolean => {
  const calls = "executor_requirements" in requirement ? requirement.executor_requirements ?? [] : []
  return calls.length === 0 ||
    !calls.every((call) => isForEvent(call) || Predicate.hasProperty(toolOf(call), "wake_at"))
}

/** What a person is asked comes before times and events. */
export const shownOf = (pauses: ReadonlyArray<Paused>): Paused | undefined => pauses.find(isForPerson) ?? pauses[0]

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
