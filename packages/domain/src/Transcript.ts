// The messages of a run as something to go on from. A model refuses a conversation in which a call has no answer, so a
// transcript is cut only where every call that it keeps is answered.
import type { Message } from "./Message.ts"

/** Whether the calls of the message at a place are answered before another place, by the messages right behind it. */
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
 * The first so many messages. A cut that would part a call from its answer is moved down before the message that calls; one
 * behind the end is none.
 */
export const cut = (messages: ReadonlyArray<Message>, index: number): ReadonlyArray<Message> => {
  if (index >= messages.length) return messages
  const end = Math.max(0, index)
  const open = messages.findIndex((_, place) => place < end && !isAnswered(messages, place, end))
  return messages.slice(0, open === -1 ? end : open)
}
