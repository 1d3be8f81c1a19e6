// From a form or a message to what an agent is asked.
import type { Agent, AgentCommand, Resolved } from "@svc/runtime"
import { Effect } from "effect"
import type * as Caller from "../authorization/Caller.ts"
import { agentOrTeamCommand, type AgentOrTeamForm } from "./agentOrTeamCommand.ts"

/** What of a form says what is asked. */
export type AgentStart = AgentOrTeamForm

export const commandOf = (
  { component: agent, ...made }: Resolved<Agent.Agent>,
  form: AgentStart,
  identity: Caller.RunIdentity,
  subject: Pick<AgentCommand, "run_id" | "session_id">
) =>
  Effect.map(
    agentOrTeamCommand("agent", agent, { form, identity, subject }),
    (command): AgentCommand => ({ ...command, ...made, agent })
  )
