// The turn of a run that was cancelled, failed or waits, as later runs of the session are shown it: its messages, a
// result for each call, and a line that says how it ended. What a check or a provider refused is not shown again.
import type { Message, ToolCall } from "./Message.ts"
import type { Status } from "./RunStatus.ts"
import type { ToolExecution } from "./ToolExecution.ts"

/** Statuses of runs whose turn is not finished. A paused run can still finish it, and is then shown as finished. */
export const statuses = ["CANCELLED", "ERROR", "PAUSED"] as const satisfies ReadonlyArray<Status>
export type UnfinishedStatus = (typeof statuses)[number]

export const isUnfinished = (status: Status): status is UnfinishedStatus =>
  statuses.some((unfinished) => unfinished === status)

const notes: Readonly<Record<UnfinishedStatus, string>> = {
  CANCELLED: "(This turn was stopped here, before it was finished.)",
  ERROR: "(This turn failed here, before it was finished.)",
  PAUSED: "(This turn waits here, and is not finished.)"
}

/** Of a call of which nothing else is stored. */
const unknownResult = "The run ended, and no result of this call is stored. It may have been executed"

/** Of a call of a run that waits. */
const waitingResult = "There is no result yet: the call waits, and its result comes when the turn continues."

const refusedResult = "(This call was made. Its result is left out, because it was refused.)"

/** A result, as the model reads it. */
export const withBefore = ({ before_result }: Pick<ToolExecution, "before_result">, result: string): string =>
  before_result === undefined ? result : `${before_result}\n\n${result}`

/** The message of a result that closes a call of an ended run. Undefined: nothing is stored of the call. */
export const resultMessage = (caller: Message, call: ToolCall, tool: ToolExecution | undefined): Message => ({
  id: `${caller.id}-${call.id}`,
  from_history: false,
  stop_after_tool_call: false,
  role: "tool",
  created_at: caller.created_at,
  tool_call_id: call.id,
  tool_name: call.function.name,
  content: withBefore(tool ?? {}, tool?.result ?? unknownResult),
  tool_call_error: tool?.tool_call_error !== false
})

/** The last message with calls, and its place. */
export const callerIn = (messages: ReadonlyArray<Message>): readonly [Message, number] | undefined => {
  const place = messages.findLastIndex(({ tool_calls = [] }) => tool_calls.length > 0)
  const caller = messages[place]
  return caller === undefined ? undefined : [caller, place]
}

/** Closes the calls of a run that ends without being executed. `tools` are its calls, which are closed already. */
export const closed = (
  messages: ReadonlyArray<Message>,
  tools: ReadonlyArray<ToolExecution>
): ReadonlyArray<Message> => {
  const last = callerIn(messages)
  if (last === undefined) return messages
  return [
    ...messages,
    ...openIn(messages, last).map((call) =>
      resultMessage(last[0], call, tools.find(({ tool_call_id }) => tool_call_id === call.id))
    )
  ]
}

const openIn = (messages: ReadonlyArray<Message>, [{ tool_calls = [] }, place]: readonly [Message, number]) => {
  const answered = new Set(messages.slice(place).map(({ tool_call_id }) => tool_call_id))
  return tool_calls.filter(({ id }) => !answered.has(id))
}

/** The calls of a run that waits which have no result in its messages. */
export const openCalls = (messages: ReadonlyArray<Message>): ReadonlyArray<ToolCall> => {
  const last = callerIn(messages)
  return last === undefined ? [] : openIn(messages, last)
}

/**
 * The messages of a run that waits without these of its open calls. A message that has no others is left out with
 * them.
 */
export const withoutCalls = (
  messages: ReadonlyArray<Message>,
  calls: ReadonlySet<string>
): ReadonlyArray<Message> => {
  const last = callerIn(messages)
  if (last === undefined || calls.size === 0) return messages
  const [caller, place] = last
  const tool_calls = (caller.tool_calls ?? []).filter(({ id }) => !calls.has(id))
  return messages.toSpliced(place, 1, ...(tool_calls.length === 0 ? [] : [{ ...caller, tool_calls }]))
}

/** Later runs are not shown what the message adds. */
export const leftOut = (message: Message): Message => ({ ...message, in_context: "left_out" })

/** A refused result is replaced, because its call was made. */
const withoutRefused = (message: Message): ReadonlyArray<Message> => {
  if (message.in_context !== "left_out") return [message]
  if (message.role !== "tool") return []
  const { audio: _, files: __, images: ___, videos: ____, ...rest } = message
  return [{ ...rest, content: refusedResult, tool_call_error: false }]
}

const openResult = (caller: Message, call: ToolCall, status: UnfinishedStatus): Message => {
  const message = resultMessage(caller, call, undefined)
  return status === "PAUSED" ? { ...message, content: waitingResult, tool_call_error: false } : message
}

/** Each call with a result, and no result without its call. */
const answered = (messages: ReadonlyArray<Message>, status: UnfinishedStatus): ReadonlyArray<Message> => {
  const results = new Set(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []))
  const calls = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  return messages.flatMap((message): ReadonlyArray<Message> => {
    if (message.role === "tool") return calls.has(message.tool_call_id ?? "") ? [message] : []
    const open = (message.tool_calls ?? []).filter(({ id }) => !results.has(id))
    return [
      message,
      ...open.map((call) => openResult(message, call, status))
    ]
  })
}

const saysNothing = ({ content, role, tool_calls = [] }: Message): boolean =>
  role === "assistant" && content === undefined && tool_calls.length === 0

/** The line belongs to the last answer, if the turn ends with one. */
const withNote = (messages: ReadonlyArray<Message>, note: string): ReadonlyArray<Message> => {
  const last = messages.at(-1)
  if (last === undefined) return []
  if (last.role === "assistant") {
    return [...messages.slice(0, -1), { ...last, content: [last.content ?? "", note].join("\n\n") }]
  }
  const { created_at, id } = last
  const end: Message = {
    id: `${id}-end`,
    from_history: false,
    stop_after_tool_call: false,
    role: "assistant",
    created_at,
    content: note
  }
  return [...messages, end]
}

/** What later runs are shown of the run. Nothing, if all of it was refused. */
export const shown = (
  messages: ReadonlyArray<Message>,
  status: UnfinishedStatus
): ReadonlyArray<Message> => {
  const kept = answered(messages.flatMap(withoutRefused), status).filter((message) => !saysNothing(message))
  return withNote(kept, notes[status]).map((message) => ({ ...message, in_context: "unfinished" }))
}
