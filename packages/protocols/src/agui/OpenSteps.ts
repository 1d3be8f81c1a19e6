// The steps and the runs inside of a run while they are open. Runs inside are subagents for clients of version 1.0, and
// steps for others, which refuse unknown events.
import type { MemberEnded, MemberStarted } from "../run/RunPiece.ts"
import type { Event } from "./Event.ts"

export interface OpenSteps {
  readonly startStep: (id: string, name: string) => ReadonlyArray<Event>
  readonly endStep: (id: string) => ReadonlyArray<Event>
  readonly startMember: (piece: MemberStarted) => ReadonlyArray<Event>
  readonly endMember: (piece: MemberEnded) => ReadonlyArray<Event>
  /** In the reverse order. */
  readonly endAll: (isPause: boolean) => ReadonlyArray<Event>
}

const reasonOf = ({ event, status }: MemberEnded): string => {
  if (status === "CANCELLED") return "The run was cancelled"
  const { content, error } = event as { readonly content?: unknown; readonly error?: unknown }
  const reason = content ?? error
  return typeof reason === "string" ? reason : "The run failed"
}

const endOf = (subagentRunId: string, piece: MemberEnded): Event =>
  piece.status === "COMPLETED" || piece.status === "PAUSED"
    ? {
      type: "SUBAGENT_FINISHED",
      subagentRunId,
      outcome: { type: piece.status === "COMPLETED" ? "success" : "suspended" }
    }
    : { type: "SUBAGENT_ERROR", subagentRunId, message: reasonOf(piece) }

/** Of one that is open when its outer run ends: a pause suspends it. */
const cutOff = (subagentRunId: string, isPause: boolean): Event =>
  isPause
    ? { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended" } }
    : { type: "SUBAGENT_ERROR", subagentRunId, message: "The outer run has ended" }

export const make = (isVersion1: boolean): OpenSteps => {
  /** How each open one is named, and how it ends without an end of its own. */
  const open = new Map<string, { readonly name: string; readonly end: (isPause: boolean) => Event }>()
  /** A run inside that continues after a pause is another subagent: clients refuse an id twice. */
  const counts = new Map<string, number>()

  const startStep = (id: string, name: string): ReadonlyArray<Event> => {
    if (open.has(id)) return []
    // clients refuse a name twice
    const taken = new Set([...open.values()].map((each) => each.name))
    let stepName = name
    for (let count = 2; taken.has(stepName); count++) stepName = `${name} (${count})`
    open.set(id, { name: stepName, end: () => ({ type: "STEP_FINISHED", stepName }) })
    return [{ type: "STEP_STARTED", stepName }]
  }

  const close = (id: string, isPause = false): ReadonlyArray<Event> => {
    const found = open.get(id)
    if (found === undefined) return []
    open.delete(id)
    return [found.end(isPause)]
  }

  const startSubagent = ({ event, name, run_id }: MemberStarted): ReadonlyArray<Event> => {
    if (open.has(run_id)) return []
    const count = (counts.get(run_id) ?? 0) + 1
    counts.set(run_id, count)
    const subagentRunId = count === 1 ? run_id : `${run_id}-${count}`
    const parent = "parent_run_id" in event && event.parent_run_id !== undefined
      ? open.get(event.parent_run_id)
      : undefined
    open.set(run_id, { name: subagentRunId, end: (isPause) => cutOff(subagentRunId, isPause) })
    return [{
      type: "SUBAGENT_STARTED",
      subagentRunId,
      name,
      ...(parent === undefined ? {} : { parentSubagentRunId: parent.name })
    }]
  }

  const endSubagent = (piece: MemberEnded): ReadonlyArray<Event> => {
    const found = open.get(piece.run_id)
    if (found === undefined) return []
    open.delete(piece.run_id)
    return [endOf(found.name, piece)]
  }

  return {
    startStep,
    endStep: (id) => close(id),
    startMember: (piece) => isVersion1 ? startSubagent(piece) : startStep(piece.run_id, piece.name),
    endMember: (piece) => isVersion1 ? endSubagent(piece) : close(piece.run_id),
    endAll: (isPause) => [...open.keys()].toReversed().flatMap((id) => close(id, isPause))
  }
}
