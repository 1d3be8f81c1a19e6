// A service with stored approvals, and how they are answered.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Run from "@svc-runtime/domain/Run"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { Effect } from "effect"
import { column, list, second, serve } from "../Wire.ts"
import { storeWith } from "./StoredApprovalRows.ts"

/** A service that has these approvals. */
export const served = Effect.fnUntraced(function*(...made: ReadonlyArray<Approval.Approval>) {
  return yield* serve({ approvals: (yield* storeWith(...made)).layer })
})

export const id = (text: string) => Approval.Id.make(text)
export const waiting = approval({ id: id("waiting"), run_id: Run.Id.make("r"), created_at: second, updated_at: second })
export const idsOf = (json: unknown) => column(list(json, "data"), "id")

/** As the contract writes it: every key is there, in this order. */
const keys = [
  "id",
  "run_id",
  "session_id",
  "status",
  "source_type",
  "approval_type",
  "pause_type",
  "tool_name",
  "tool_args",
  "expires_at",
  "agent_id",
  "team_id",
  "workflow_id",
  "user_id",
  "schedule_id",
  "schedule_run_id",
  "source_name",
  "requirements",
  "context",
  "resolution_data",
  "resolved_by",
  "resolved_at",
  "created_at",
  "updated_at",
  "run_status"
] as const

export const written = (one: Approval.Approval) =>
  JSON.stringify(Object.fromEntries(keys.map((key) => [key, one[key]])))
