// The command of a run of a team: the command of its leader.
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Option } from "effect"
import * as AgentCommand from "../agent/execute/AgentCommand.ts"
import type { Team } from "./Team.ts"

export interface TeamCommand extends Omit<AgentCommand.AgentCommand, "agent"> {
  readonly team: Team
}

/** As the leader gets it. */
export const toLeader = ({ team, ...command }: TeamCommand): AgentCommand.AgentCommand => ({
  ...command,
  agent: team.leader
})

/** The command of a stored run. None if it has an unknown format. */
export const decode = (team: Team, snapshot: RunSnapshot): Option.Option<Omit<TeamCommand, "stream" | "background">> =>
  Option.map(AgentCommand.decode(team.leader, snapshot), ({ agent: _, ...command }) => ({ ...command, team }))
