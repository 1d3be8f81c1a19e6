// The events of a run whose tools start runs inside of it.
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { RunJournal } from "@svc-runtime/engine/run/journal/RunJournal"
import type { Start } from "@svc-runtime/engine/run/Runnable"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import * as Delegation from "./Delegation.ts"
import * as TaskTools from "./TaskTools.ts"

/** Whether this attempt resumes with decisions. */
const isAnswered = ({ attempt, entries }: RunJournal): boolean =>
  entries.some((entry) => entry["kind"] === "resolved" && entry["attempt"] === attempt)

type Emit = Start["emit"]

/**
 * After a pause, paused runs inside resume first, and their answers belong to calls that were shown before the pause.
 * The `RunContinued` of the outer run is shown when its own model resumes.
 */
const heldUntilResumed = (emit: Emit, names: ReadonlySet<string>): Emit => {
  let waits = true
  let continued: Parameters<Emit>[0] = { event: "RunContinued" }
  return (payload) => {
    if (waits) {
      if (payload.event === "RunContinued") {
        continued = payload
        return
      }
      if ("tool" in payload && names.has(payload.tool.tool_name)) return
      waits = false
      emit(continued)
    }
    emit(payload)
  }
}

const held = (
  { isContinued }: Start,
  journal: RunJournal,
  emit: Emit,
  names: () => ReadonlySet<string>
): Emit => {
  const held = isContinued && isAnswered(journal) ? names() : undefined
  return held === undefined || held.size === 0 ? emit : heldUntilResumed(emit, held)
}

const namesOf = (tools: ReadonlyArray<Tool>): ReadonlyArray<string> => tools.map(({ name }) => name)

export const ofAgent = (start: Start, journal: RunJournal, tools: ReadonlyArray<Tool>): Emit =>
  held(start, journal, start.emit, () => new Set(namesOf(tools)))

/** Turns the events of a leader into events of its team. */
export const ofTeam = (start: Start, journal: RunJournal, tools: ReadonlyArray<Tool>): Emit => {
  const emit: Emit = (payload) => start.emit(RunEvent.ofLeader(payload as RunEvent.AgentPayload))
  return held(
    start,
    journal,
    emit,
    () => new Set([...Delegation.toolNames, ...TaskTools.toolNames, ...namesOf(tools)])
  )
}
