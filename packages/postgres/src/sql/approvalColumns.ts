/** The columns of an approval `a`, as `Approval` has them. */
export const approvalColumns =
  `a.id, a.run_id, a.session_id, a.status, a.source_type, a.approval_type, a.pause_type, a.tool_name,
  a.tool_args, a.expires_at::float8 as expires_at, a.agent_id, a.team_id, a.workflow_id, a.user_id, a.schedule_id,
  a.schedule_run_id, a.source_name, a.requirements, a.context, a.resolution_data, a.resolved_by,
  a.resolved_at::float8 as resolved_at, a.created_at::float8 as created_at, a.updated_at::float8 as updated_at,
  a.run_status`
