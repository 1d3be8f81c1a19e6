// From a form or a message to what an agent is asked.
import type { Agent, AgentCommand, Resolved } from "@svc/runtime"
import { Effect } from "effect"
import type * as Caller from "../authorization/Caller.ts"
import type { RunForm } from "../multipart/RunForm.ts"
import { inputOf } from "./inputOf.ts"

/** What of a form says what is asked. */
export type Asked = Omit<RunForm, "streamEvents" | "cancelOnDisconnect" | "factory_input">

export const commandOf = Effect.fnUntraced(function*(
  { component: agent, lifetime }: Resolved<Agent.Agent>,
  form: Asked,
  { dependencies, isolated, session_state, user_id }: Caller.RunIdentity,
  subject: Pick<AgentCommand, "run_id" | "session_id">
) {
  const command: AgentCommand = {
    agent,
    lifetime,
    ...subject,
    user_id,
    isolated,
    input: { input_content: yield* inputOf("agent", agent.inputSchema, form.message), ...form.media },
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
