// A new run that starts with the messages of another one: all, up to a message, or without its last answer so that it
// is answered again. The other run does not change.
import type * as Message from "@svc-runtime/domain/Message"
import * as Transcript from "@svc-runtime/domain/Transcript"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import { isSystem } from "../execute/context/Conversation.ts"

export interface ForkRequest {
  /** `end`, the last user message, or a number of messages. */
  readonly from: "end" | "last_user" | number
  readonly regenerate: boolean
  /** The other run is not part of the conversation any more: its messages are those of the new run. */
  readonly isReplacing: boolean
  /** Added for the model after the copied messages. */
  readonly input: string | undefined
}

const refuse = (message: string) => Effect.fail(new ContinueRejected({ reason: "fork", message }))

/** Answers at the end, which are generated again. */
const withoutAnswers = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> =>
  messages.slice(
    0,
    messages.findLastIndex(({ role, tool_calls }) => role !== "assistant" || (tool_calls ?? []).length > 0) + 1
  )

const cut = (messages: ReadonlyArray<Message.Message>, { from, regenerate }: ForkRequest) => {
  const end = typeof from === "number" ? from : messages.length
  const last = from === "last_user" ? messages.findLastIndex(({ role }) => role === "user") + 1 : end
  const kept = Transcript.cut(messages, last)
  return regenerate ? withoutAnswers(kept) : kept
}

/** Messages of earlier runs are part of the start, and are not messages of the new run. */
const copies = (messages: ReadonlyArray<Message.Message>) =>
  messages.map((message) => ({ ...message, from_history: true }))

/** The first entries of the new run's journal. */
export const plan = Effect.fnUntraced(function*(run: RunSnapshot, request: ForkRequest) {
  const { messages = [], run_id, tools = [] } = run.output
  if (request.from === "last_user" && !messages.some(({ role }) => role === "user")) {
    return yield* refuse("The run has no message of a user to continue from")
  }
  const kept = cut(messages, request)
  if (request.regenerate && !kept.some(({ role }) => role === "user")) {
    return yield* refuse("The run has nothing that could be answered anew")
  }
  const answered = new Set(kept.map(({ tool_call_id }) => tool_call_id))
  const start = request.isReplacing ? kept : copies(kept)
  const based: AgentJournal.Based = {
    kind: "based",
    messages: [
      ...start.filter(isSystem),
      ...copies(run.history),
      ...start.filter((message) => !isSystem(message))
    ],
    tools: tools.filter(({ tool_call_id }) => answered.has(tool_call_id)),
    origin: {
      forked_from_run_id: run_id,
      forked_from_message_index: kept.length,
      ...(request.regenerate ? { regenerated_from: run_id } : {})
    }
  }
  const added: ReadonlyArray<AgentJournal.Entry> = request.input === undefined
    ? []
    : [{ kind: "resolved", attempt: 1, decisions: [], requirements: [], input: request.input }]
  return [based, ...added].map(AgentJournal.encode)
})
