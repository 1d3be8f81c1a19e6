// The messages of a run as the start of another. Models reject a conversation with an unanswered call, so a transcript
// is cut only where every call is answered.
import type { Message } from "./Message.ts"

/** Whether all calls of the message at `place` are answered by the messages directly after it, before the end. */
const isAnswered = (messages: ReadonlyArray<Message>, place: number, end: number): boolean => {
  const open = new Set(messages[place]?.tool_calls?.map(({ id }) => id))
  for (let at = place + 1; at < end && open.size > 0; at++) {
    const message = messages[at]
    if (message?.role === "assistant") break
    if (message?.role === "tool" && message.tool_call_id !== undefined) open.delete(message.tool_call_id)
  }
  return open.size === 0
}

/**
 * The first messages up to `index`. The cut moves before a call whose answer would be cut off. An index past the end
 * cuts nothing.
 */
export const cut = (messages: ReadonlyArray<Message>, index: number): ReadonlyArray<Message> => {
  if (index >= messages.length) return messages
  const end = Math.max(0, index)
  const open = messages.findIndex((_, place) => place < end && !isAnswered(messages, place, end))
  return messages.slice(0, open === -1 ? end : open)
}
