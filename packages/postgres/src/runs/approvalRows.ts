// Maps approvals to rows and back.
import * as Approval from "@svc-runtime/domain/Approval"
import * as ReadableRows from "../sql/ReadableRows.ts"
import { jsonOrNull, text, textOrNull } from "../sql/rows.ts"

/** The columns of an approval `a`. */
export const approvalColumns =
  `a.id, a.run_id, a.session_id, a.status, a.source_type, a.approval_type, a.pause_type, a.tool_name,
  a.tool_args, a.expires_at::float8 as expires_at, a.agent_id, a.team_id, a.workflow_id, a.user_id, a.schedule_id,
  a.schedule_run_id, a.source_name, a.requirements, a.context, a.resolution_data, a.resolved_by,
  a.resolved_at::float8 as resolved_at, a.created_at::float8 as created_at, a.updated_at::float8 as updated_at,
  a.run_status`

export const readable = ReadableRows.make(Approval.Approval, "approval_id")

export const toRow = (approval: Approval.Approval) => ({
  id: text(approval.id),
  run_id: text(approval.run_id),
  session_id: text(approval.session_id),
  status: approval.status,
  source_type: approval.source_type,
  approval_type: approval.approval_type,
  pause_type: approval.pause_type,
  tool_name: textOrNull(approval.tool_name),
  tool_args: jsonOrNull(approval.tool_args),
  expires_at: approval.expires_at,
  agent_id: textOrNull(approval.agent_id),
  team_id: textOrNull(approval.team_id),
  workflow_id: textOrNull(approval.workflow_id),
  user_id: textOrNull(approval.user_id),
  schedule_id: textOrNull(approval.schedule_id),
  schedule_run_id: textOrNull(approval.schedule_run_id),
  source_name: textOrNull(approval.source_name),
  requirements: jsonOrNull(approval.requirements),
  context: jsonOrNull(approval.context),
  resolution_data: jsonOrNull(approval.resolution_data),
  resolved_by: textOrNull(approval.resolved_by),
  resolved_at: approval.resolved_at,
  created_at: approval.created_at,
  updated_at: approval.updated_at,
  run_status: approval.run_status
})
