// Which runs of an agent wait for their turn. Two runs of one session have to come one after the other only if one of them
// could notice the other: runs that see neither what was said before nor the state of the session go side by side.
import { type AgentCommand, historyOf } from "./AgentCommand.ts"

/** Functions of the author's get the state of the session, to read and to change. */
const callsAuthor = ({ agent: { instructions, postHooks, preHooks, tools } }: AgentCommand): boolean =>
  tools.size > 0 || preHooks.length > 0 || postHooks.length > 0 || typeof instructions === "function"

export const isSerialized = (command: AgentCommand): boolean =>
  historyOf(command) > 0 || command.session_state !== undefined || command.addSessionStateToContext ||
  callsAuthor(command)
