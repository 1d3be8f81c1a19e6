// The earlier messages that the client of a run brings. The model sees them before the history of the session, and its
// instructions in the system message. They are not stored as messages.
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import type * as Message from "@svc-runtime/domain/Message"

const isInstruction = ({ role }: EarlierMessage): boolean => role === "system" || role === "developer"

export const instructionsOf = (messages: ReadonlyArray<EarlierMessage> | undefined): ReadonlyArray<string> =>
  (messages ?? []).filter(isInstruction).flatMap(({ content }) => content === undefined ? [] : [content])

/** Models reject a call without a result, and a result without its call. */
const answeredCalls = (messages: ReadonlyArray<EarlierMessage>): ReadonlySet<string> => {
  const called = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  return new Set(
    messages.flatMap(({ role, tool_call_id }) =>
      role === "tool" && tool_call_id !== undefined && called.has(tool_call_id) ? [tool_call_id] : []
    )
  )
}

/** In the form of the session's history. */
export const historyOf = (
  messages: ReadonlyArray<EarlierMessage> | undefined,
  created_at: number
): ReadonlyArray<Message.Message> => {
  const shown = (messages ?? []).filter((message) => !isInstruction(message))
  const answered = answeredCalls(shown)
  const names = new Map(
    shown.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: { name }, id }) => [id, name] as const))
  )
  return shown.flatMap((message, index): ReadonlyArray<Message.Message> => {
    const { content, role, tool_call_id } = message
    const id = `earlier-${index}`
    const common = { id, role, from_history: true, stop_after_tool_call: false, created_at }
    if (role === "tool") {
      if (tool_call_id === undefined || !answered.has(tool_call_id)) return []
      return [{ ...common, content: content ?? "", tool_call_id, tool_name: names.get(tool_call_id) ?? "" }]
    }
    const tool_calls = (message.tool_calls ?? []).filter(({ id }) => answered.has(id))
    if (content === undefined && tool_calls.length === 0) return []
    return [{
      ...common,
      ...(content === undefined ? {} : { content }),
      ...(tool_calls.length === 0 ? {} : { tool_calls })
    }]
  })
}
