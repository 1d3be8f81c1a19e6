// The copy of a run that waits for an approval has an approval of its own: a decision on the original is none on the
// copy. The copy makes the same ids when it is resumed.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { now } from "@svc-runtime/engine/now"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import * as RunApprovals from "../execute/RunApprovals.ts"
import { pendingCalls } from "./CallDecision.ts"
import * as InnerContinuation from "./InnerContinuation.ts"

export type Approvals = Pick<ApprovalStore["Service"], "create" | "get">

/** None if a person has deleted the approval of the copied run: the copy has none either. */
const found = (approvals: Approvals, id: Approval.Id, at: number) =>
  Effect.catchTag(
    Effect.asSome(approvals.get(id, Owner.anyone, at)),
    "ApprovalNotFound",
    () => Effect.succeedNone
  )

type Address = Pick<RunSnapshot, "run_id" | "session_id">

/** `originalOf`: the run that was copied. */
export const create = Effect.fnUntraced(function*(
  approvals: Approvals,
  run: RunSnapshot,
  originalOf: (copy: Run.Id) => Address
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
    const original = yield* found(approvals, yield* idIn(originalOf(run_id)), at)
    if (Option.isNone(original)) continue
    const id = yield* idIn({ run_id, session_id })
    const ids = new Set(waiting.map(({ requirement }) => requirement))
    const requirements = (output.requirements ?? []).filter((each) => ids.has(each.id)).map(Json.of)
    const copy = Approval.ofCopy(original.value, { id, run_id, session_id, requirements }, at)
    yield* approvals.create(copy, run.run_id, run.database)
  }
})
