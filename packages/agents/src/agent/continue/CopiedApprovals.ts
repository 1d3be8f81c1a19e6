// The copy of a run that waits for an approval has an approval of its own: a decision on the original is none on the
// copy. The copy makes the same ids when it is resumed.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { now } from "@svc-runtime/engine/now"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import * as RunApprovals from "../execute/RunApprovals.ts"
import { pendingCalls } from "./CallDecision.ts"
import * as InnerContinuation from "./InnerContinuation.ts"

type Address = Pick<RunSnapshot, "run_id" | "session_id">

interface Copied {
  /** The run that was copied. */
  readonly originalOf: (copy: Run.Id) => Address
  /** Of the copied runs. */
  readonly originals: ReadonlyArray<Approval.Approval>
}

export const create = Effect.fnUntraced(function*(
  approvals: Pick<ApprovalStore["Service"], "create">,
  run: RunSnapshot,
  { originalOf, originals }: Copied
) {
  if (run.status !== "PAUSED" || !AnyRun.isAgentOrTeam(run.output)) return
  const at = yield* now
  for (const { entries, output } of yield* InnerContinuation.waitingIn(run.entries, run.output)) {
    const journal = yield* Effect.orDie(AgentJournal.decode(entries))
    const turns = journal.flatMap((entry) => entry.kind === "asked" ? [entry] : [])
    const turn = turns.at(-1)
    const waiting = pendingCalls({ output }, journal).filter(({ tool }) => RunApprovals.needsApproval(tool))
    if (turn === undefined || waiting.length === 0) continue
    const agent = { id: "team_id" in output ? output.team_id : output.agent_id }
    const idIn = (run: Address) => RunApprovals.idOf({ ...run, agent }, { calls: turn.calls, step: turns.length - 1 })
    const { run_id } = output
    const { session_id } = run
    // the calls of a copy name the approval of the first run, which is not that of the copied one if it was a copy too
    const copied = yield* idIn(originalOf(run_id))
    const original = originals.find(({ id }) => id === copied)
    // a person has deleted it: the copy has none either
    if (original === undefined) continue
    const id = yield* idIn({ run_id, session_id })
    const ids = new Set(waiting.map(({ requirement }) => requirement))
    const requirements = (output.requirements ?? []).filter((each) => ids.has(each.id)).map(Json.of)
    const copy = Approval.ofCopy(original, { id, run_id, session_id, requirements }, at)
    yield* approvals.create(copy, run.run_id, run.database)
  }
})
