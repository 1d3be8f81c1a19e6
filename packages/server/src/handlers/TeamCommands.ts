// From a form or a message to what a team is asked.
import type { Resolved, Team, TeamCommand } from "@svc/runtime"
import { Effect } from "effect"
import type * as Caller from "../authorization/Caller.ts"
import { agentOrTeamCommand, type AgentOrTeamForm } from "./agentOrTeamCommand.ts"

export const commandOf = (
  { component: team, ...made }: Resolved<Team.Team>,
  form: AgentOrTeamForm,
  identity: Caller.RunIdentity,
  subject: Pick<TeamCommand, "run_id" | "session_id">
) =>
  Effect.map(
    agentOrTeamCommand("team", team.leader, { form, identity, subject }),
    (command): TeamCommand => ({ ...command, ...made, team })
  )
