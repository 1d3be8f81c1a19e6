// A new run that starts with the messages of another one: all, up to a message, or without its last answer so that it
// is answered again. The other run does not change.
import type * as Message from "@svc-runtime/domain/Message"
import * as Transcript from "@svc-runtime/domain/Transcript"
import * as WaitingCalls from "@svc-runtime/domain/WaitingCalls"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import { isSystem } from "../execute/context/Conversation.ts"

export interface ForkRequest {
  /** `end`, the last user message, or a number of messages. */
  readonly from: "end" | "last_user" | number
  readonly regenerate: boolean
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

const none: ReadonlyArray<Message.Message> = []

const cut = ({ output, status }: RunSnapshot, from: ForkRequest["from"]) => {
  const { messages = none } = output
  const end = typeof from === "number" ? from : messages.length
  const last = from === "last_user" ? messages.findLastIndex(({ role }) => role === "user") + 1 : end
  if (last < messages.length) return Transcript.cut(messages, last)
  return status === "PAUSED" ? WaitingCalls.settled(output) : messages
}

/** What a new run starts with. */
export interface Kept {
  readonly messages: ReadonlyArray<Message.Message>
  /** All messages of the other run, as they are. */
  readonly isWhole: boolean
}

export const kept = Effect.fnUntraced(function*(run: RunSnapshot, { from, regenerate }: ForkRequest) {
  const { messages = none } = run.output
  if (from === "last_user" && !messages.some(({ role }) => role === "user")) {
    return yield* refuse("The run has no message of a user to continue from")
  }
  const start = cut(run, from)
  const kept: Kept = regenerate
    ? { messages: withoutAnswers(start), isWhole: false }
    : { messages: start, isWhole: start === messages }
  if (regenerate && !kept.messages.some(({ role }) => role === "user")) {
    return yield* refuse("The run has nothing that could be answered anew")
  }
  return kept
})

/** Messages of earlier runs are part of the start, and are not messages of the new run. */
const copies = (messages: ReadonlyArray<Message.Message>) =>
  messages.map((message) => ({ ...message, from_history: true }))

/** The first entries of the new run's journal. `isOwn`: the message is one of the new run, and of no run before it. */
export const entriesOf = (
  { history, output: { run_id, tools = [] } }: RunSnapshot,
  { input, regenerate }: ForkRequest,
  { messages: kept }: Kept,
  isOwn: (message: Message.Message) => boolean
) => {
  const answered = new Set(kept.map(({ tool_call_id }) => tool_call_id))
  const start = kept.map((message) => ({ ...message, from_history: !isOwn(message) }))
  const based: AgentJournal.Based = {
    kind: "based",
    messages: [
      ...start.filter(isSystem),
      ...copies(history),
      ...start.filter((message) => !isSystem(message))
    ],
    tools: tools.filter(({ tool_call_id }) => answered.has(tool_call_id)),
    origin: {
      forked_from_run_id: run_id,
      forked_from_message_index: kept.length,
      ...(regenerate ? { regenerated_from: run_id } : {})
    }
  }
  const added: ReadonlyArray<AgentJournal.Entry> = input === undefined
    ? []
    : [{ kind: "resolved", attempt: 1, decisions: [], requirements: [], input }]
  return [based, ...added].map(AgentJournal.encode)
}
