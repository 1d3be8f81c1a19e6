// A team in discovery: its leader as an agent, and the fields of teams. Members have no sessions of their own.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as TeamSchema from "@svc-runtime/domain/Team"
import type { Agent } from "../agent/define/Agent.ts"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import * as Leader from "./Leader.ts"
import { isTeam, type Member, type Team } from "./Team.ts"

/** The context of an agent in discovery. */
export type Around = (agent: Agent) => AgentDetail.Dependencies

type SystemMessage = NonNullable<AgentSchema.Detail["system_message"]>

const systemMessageOf = ({ system_message = {} }: AgentSchema.Detail): SystemMessage | undefined => {
  const { add_name_to_context: _, timezone_identifier: __, ...fields } = system_message
  return Object.keys(fields).length === 0 ? undefined : fields
}

const memberOf = (member: Member, around: Around): AgentSchema.Detail | TeamSchema.Detail => {
  const detail = isTeam(member) ? toDetail(member, around) : AgentDetail.toDetail(member, around(member))
  const { db_id: _, sessions: __, ...rest } = detail
  return rest as AgentSchema.Detail | TeamSchema.Detail
}

export const toDetail = (team: Team, around: Around): TeamSchema.Detail => {
  const detail = AgentDetail.toDetail(Leader.shown(team), around(team.leader))
  const { system_message: _, ...rest } = detail
  const system_message = systemMessageOf(detail)
  return {
    ...rest,
    id: team.id,
    ...(system_message === undefined ? {} : { system_message }),
    mode: team.mode,
    ...(team.streamMemberEvents ? { streaming: { stream_member_events: true } } : {}),
    members: [...team.members.values()].map((member) => memberOf(member, around))
  }
}
