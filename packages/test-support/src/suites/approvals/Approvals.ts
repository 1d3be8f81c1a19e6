// Approvals, and what is done with them, as the tests of their store need them. They are new each time.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { Effect } from "effect"
import { newId, runId, sessionId } from "../Samples.ts"

export const start = 1_700_000_000

export const question = (fields: Partial<Approval.ApprovalRequest> = {}): Approval.ApprovalRequest => ({
  id: Approval.Id.make(newId("approval")),
  run_id: runId(),
  session_id: sessionId(),
  user_id: null,
  source: { kind: "agent", id: "assistant", name: "Assistant" },
  pause_type: "confirmation",
  tool_name: "send_mail",
  tool_args: { to: "a@example.com" },
  tool_names: ["send_mail"],
  schedule_id: null,
  created_at: start,
  expires_at: null,
  ...fields
})

/** Pending, unless the fields say otherwise. */
export const approval = (fields: Partial<Approval.Approval> = {}): Approval.Approval => ({
  ...Approval.required(question(), []),
  ...fields
})

/** With something in every field. */
export const filled = (fields: Partial<Approval.Approval> = {}): Approval.Approval =>
  approval({
    status: "rejected",
    tool_args: { zebra: [1, 2.5, null], apple: { "": "empty" } },
    expires_at: start + 60,
    team_id: "team",
    workflow_id: "workflow",
    schedule_id: "nightly",
    schedule_run_id: "nightly-1",
    requirements: [{ id: "r", tool_execution: { tool_name: "send_mail", confirmed: null } }],
    resolution_data: { values: { to: "b@example.com" } },
    resolved_by: "root",
    resolved_at: start + 10,
    updated_at: start + 10,
    run_status: "RUNNING",
    ...fields
  })

export const create = (one: Approval.Approval) => ApprovalStore.use((store) => store.create(one, one.run_id))

/** Undefined when it is not there. */
export const find = (one: Approval.Approval, at = start) =>
  ApprovalStore.use((store) =>
    Effect.catchTag(store.get(one.id, Owner.anyone, at), "ApprovalNotFound", () => Effect.succeed(undefined))
  )

export const approved: Approval.ResolutionInput = { status: "approved", resolved_by: "root", resolution_data: null }

export const resolve = (one: Approval.Approval, at = start, resolution = approved) =>
  ApprovalStore.use((store) =>
    Effect.map(store.resolve(one.id, Owner.anyone, resolution, at), ({ approval }) => approval)
  )
