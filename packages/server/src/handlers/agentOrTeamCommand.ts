// What is asked of a component that a model speaks for: an agent, or the leader of a team.
import type { Session } from "@svc/domain"
import type { Agent, AgentCommand } from "@svc/runtime"
import { Effect } from "effect"
import type * as Caller from "../authorization/Caller.ts"
import type { RunForm } from "../forms/RunForm.ts"
import { inputOf } from "./inputOf.ts"

/** What of a form says what is asked. */
export type AgentOrTeamForm = Omit<RunForm, "streamEvents" | "cancelOnDisconnect" | "factory_input">

export interface AgentOrTeamStart {
  readonly form: AgentOrTeamForm
  readonly identity: Caller.RunIdentity
  readonly subject: Pick<AgentCommand, "run_id" | "session_id">
}

export const agentOrTeamCommand = Effect.fnUntraced(function*(
  kind: Session.Kind,
  { inputSchema }: Agent.Agent,
  { form, identity: { dependencies, isolated, session_state, user_id }, subject }: AgentOrTeamStart
) {
  const command: Omit<AgentCommand, "agent"> = {
    ...subject,
    user_id,
    isolated,
    input: { input_content: yield* inputOf(kind, inputSchema, form.message), ...form.media },
    stream: form.stream,
    background: form.background,
    ifBusy: form.ifBusy,
    session_state,
    dependencies,
    metadata: form.metadata,
    outputSchema: form.outputSchema,
    addHistoryToContext: form.addHistoryToContext,
    addDependenciesToContext: form.addDependenciesToContext,
    addSessionStateToContext: form.addSessionStateToContext
  }
  return command
})
