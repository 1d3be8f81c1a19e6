// Turns the events of a leader into events of its team.
import * as RunEvent from "@svc/domain/RunEvent"
import type { RunJournal } from "../run/RunJournal.ts"
import type { Start } from "../run/Runnable.ts"
import * as Delegation from "./Delegation.ts"
import * as TaskTools from "./TaskTools.ts"

/** Whether this attempt resumes with decisions. */
const isAnswered = ({ attempt, entries }: RunJournal): boolean =>
  entries.some((entry) => entry["kind"] === "resolved" && entry["attempt"] === attempt)

const delegations: ReadonlySet<string> = new Set([...Delegation.toolNames, ...TaskTools.toolNames])

/**
 * After a pause, paused members resume first, and their answers belong to calls that were shown before the pause. The
 * team's `RunContinued` is shown when its leader resumes.
 */
export const make = ({ emit, isContinued }: Start, journal: RunJournal): Start["emit"] => {
  const isHeld = isContinued && isAnswered(journal)
  if (!isHeld) return (payload) => emit(RunEvent.ofLeader(payload as RunEvent.AgentPayload))
  let waits = true
  let continued: RunEvent.TeamPayload = { event: "TeamRunContinued" }
  return (payload) => {
    const event = RunEvent.ofLeader(payload as RunEvent.AgentPayload)
    if (waits) {
      if (event.event === "TeamRunContinued") {
        continued = event
        return
      }
      if ("tool" in event && delegations.has(event.tool.tool_name)) return
      waits = false
      emit(continued)
    }
    emit(event)
  }
}
