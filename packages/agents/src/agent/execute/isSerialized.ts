// Which runs of an agent are serialized. Two runs of a session must be serialized only if one could observe the other.
// Runs without history and session state run concurrently.
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import { type AgentCommand, historyOf } from "./AgentCommand.ts"

/** Functions of the author can read and change the session state. */
const callsAuthor = ({ agent: { hooks, instructions, postHooks, preHooks, tools } }: AgentCommand): boolean =>
  tools.size > 0 || [preHooks, postHooks, hooks].some(({ length }) => length > 0) || typeof instructions === "function"

export const isSerialized = (command: AgentCommand): boolean =>
  historyOf(command) > 0 || SharedOptions.sendsState(command) || command.add_session_state_to_context ||
  callsAuthor(command)
