// Makes the pieces of a run from its events, for agents, teams and workflows. It depends on earlier events of the run:
// a reader that starts later pushes the events before first, and drops their pieces.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Usage from "@svc-runtime/domain/Usage"
import type { MemberEnded, RunPiece } from "./RunPiece.ts"
import * as SingleRunPieces from "./SingleRunPieces.ts"

export interface RunPieces {
  readonly push: (event: RunEvent.RunEvent) => ReadonlyArray<RunPiece>
}

interface MemberRun {
  readonly own: SingleRunPieces.SingleRunPieces
  isOpen: boolean
}

const nameOf = (event: RunEvent.RunEvent): string => {
  if ("agent_name" in event) return event.agent_name
  return "team_name" in event ? event.team_name : event.workflow_name
}

const ends: Readonly<Partial<Record<RunPiece["_tag"], MemberEnded["status"]>>> = {
  Completed: "COMPLETED",
  Failed: "ERROR",
  Cancelled: "CANCELLED",
  Paused: "PAUSED"
}

/** Text and reasoning of an executor, and where its answers begin. */
const answering: ReadonlySet<RunEvent.Kind> = new Set([
  "RunContent",
  "RunContinued",
  "ModelRequestStarted",
  "ModelRequestCompleted",
  "ReasoningStarted",
  "ReasoningStep",
  "ReasoningContentDelta",
  "ReasoningCompleted",
  "TeamRunContent",
  "TeamRunContinued",
  "TeamModelRequestStarted",
  "TeamModelRequestCompleted",
  "TeamReasoningStarted",
  "TeamReasoningStep",
  "TeamReasoningContentDelta",
  "TeamReasoningCompleted"
])

/** A structured answer is data for the next step. */
const isTextOfAnswer = (event: RunEvent.RunEvent): boolean =>
  answering.has(event.event) &&
  (event.event !== "RunContent" && event.event !== "TeamRunContent" || event.content_type === "str")

/** The run of a step's agent or team, and not of the members of that team. */
const isExecutor = (event: RunEvent.RunEvent): boolean =>
  "workflow_run_id" in event && !("parent_run_id" in event && event.parent_run_id !== undefined)

/** `run_id` is the outermost run. Runs with other ids are inside of it. */
export const make = (run_id: string): RunPieces => {
  const members = new Map<string, MemberRun>()
  const shared: SingleRunPieces.Shared = { paused: new Set(), usage: {} }
  const { paused } = shared
  const own = SingleRunPieces.make(shared)
  /** The run of the executor whose text is text of the workflow. */
  let speaker: string | undefined
  /** Branches that run at the same time would mix their texts. */
  const parallels = new Set<string | undefined>()

  const memberOf = (id: string): MemberRun => {
    const known = members.get(id)
    if (known !== undefined) return known
    const member = { own: SingleRunPieces.make(shared), isOpen: false }
    members.set(id, member)
    return member
  }

  const ofMember = (event: RunEvent.RunEvent): ReadonlyArray<RunPiece> => {
    const at = { event, run_id: event.run_id, name: nameOf(event) }
    const member = memberOf(event.run_id)
    const isText = speaker === event.run_id && isTextOfAnswer(event)
    const pieces: Array<RunPiece> = isText ? [...own.push(event)] : []
    for (const piece of member.own.push(event)) {
      const status = ends[piece._tag]
      if (status !== undefined) {
        if (status === "PAUSED") paused.add(event.run_id)
        member.isOpen = false
        if (speaker === event.run_id) {
          speaker = undefined
          own.endAnswer()
        }
        pieces.push({ _tag: "MemberEnded", ...at, status })
        continue
      }
      if (!member.isOpen) {
        member.isOpen = true
        paused.delete(event.run_id)
        if (speaker === undefined && parallels.size === 0 && isExecutor(event)) speaker = event.run_id
        pieces.push({ _tag: "MemberStarted", ...at })
        if (piece._tag === "Started" || piece._tag === "Resumed") continue
      }
      if (speaker === event.run_id && piece._tag === "State") pieces.push(piece)
      else if (!isText) pieces.push({ _tag: "Member", ...at, piece })
    }
    return pieces
  }

  return {
    push: (event) => {
      if (event.event === "ParallelExecutionStarted") parallels.add(event.step_id)
      else if (event.event === "ParallelExecutionCompleted") parallels.delete(event.step_id)
      else if (event.event === "ModelRequestCompleted" || event.event === "TeamModelRequestCompleted") {
        shared.usage = Usage.add(shared.usage, event)
      }
      return event.run_id === run_id ? own.push(event) : ofMember(event)
    }
  }
}
