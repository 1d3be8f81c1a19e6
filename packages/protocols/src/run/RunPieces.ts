// Makes the pieces of a run from its events, for agents, teams and workflows. It depends on earlier events of the run:
// a reader that starts later pushes the events before first, and drops their pieces.
import type * as RunEvent from "@svc/domain/RunEvent"
import * as OwnPieces from "./OwnPieces.ts"
import type { MemberEnded, RunPiece } from "./RunPiece.ts"

export interface RunPieces {
  readonly push: (event: RunEvent.RunEvent) => ReadonlyArray<RunPiece>
}

interface MemberRun {
  readonly own: OwnPieces.OwnPieces
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

/** `run_id` is the outermost run. Runs with other ids are inside of it. */
export const make = (run_id: string): RunPieces => {
  const members = new Map<string, MemberRun>()
  const paused = new Set<string>()
  const own = OwnPieces.make(paused)

  const memberOf = (id: string): MemberRun => {
    const known = members.get(id)
    if (known !== undefined) return known
    const member = { own: OwnPieces.make(paused), isOpen: false }
    members.set(id, member)
    return member
  }

  const ofMember = (event: RunEvent.RunEvent): ReadonlyArray<RunPiece> => {
    const at = { event, run_id: event.run_id, name: nameOf(event) }
    const member = memberOf(event.run_id)
    const pieces: Array<RunPiece> = []
    for (const piece of member.own.push(event)) {
      const status = ends[piece._tag]
      if (status !== undefined) {
        if (status === "PAUSED") paused.add(event.run_id)
        member.isOpen = false
        pieces.push({ _tag: "MemberEnded", ...at, status })
        continue
      }
      if (!member.isOpen) {
        member.isOpen = true
        paused.delete(event.run_id)
        pieces.push({ _tag: "MemberStarted", ...at })
        if (piece._tag === "Started" || piece._tag === "Resumed") continue
      }
      pieces.push({ _tag: "Member", ...at, piece })
    }
    return pieces
  }

  return { push: (event) => event.run_id === run_id ? own.push(event) : ofMember(event) }
}
