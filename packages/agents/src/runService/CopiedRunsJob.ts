// The background job that makes the approvals of copied runs if the request that copied them was cut off.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as CopiedRuns from "@svc-runtime/engine/run/CopiedRuns"
import { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import { Effect, Option } from "effect"
import * as CopiedApprovals from "../agent/continue/CopiedApprovals.ts"

/** Of the copies that wait for an approval. Decisions on some do not wait for the others. */
export const approvalsOf = (
  store: Pick<ApprovalStore["Service"], "create">,
  runs: Pick<RunReading["Service"], "snapshot">
): CopiedRuns.Made =>
  Effect.fnUntraced(function*({ approvals: originals, paused, session_id, source }) {
    const originalOf = (run_id: Run.Id) => ({ run_id: paused[run_id] ?? run_id, session_id: source })
    for (const copy of Object.keys(paused)) {
      const found = yield* runs.snapshot(session_id, Run.Id.make(copy), { owner: Owner.anyone })
      const run = Option.getOrUndefined(found)
      // the approvals of inner runs are made with those of the run around them
      if (run === undefined || AnyRun.isWorkflow(run.output) || run.output.parent_run_id !== undefined) continue
      yield* CopiedApprovals.create(store, run, { originalOf, originals })
    }
  })

export const kind = Effect.gen(function*() {
  const made = approvalsOf(yield* ApprovalStore, yield* RunReading)
  return JobKind.make({
    ...CopiedRuns.shape,
    handle: (copied) => Effect.annotateLogs(made(copied), { session_id: copied.session_id })
  })
})
