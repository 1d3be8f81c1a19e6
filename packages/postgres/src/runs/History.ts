// The history that a run is shown. A message that does not decode is left out and logged, so that the run works. A tool
// call without its result and a result without its call are left out with it, because providers reject them.
import * as Message from "@svc-runtime/domain/Message"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import { Effect, Option, Schema } from "effect"

/** As it is stored: the messages are decoded one by one. */
export const Stored = Schema.fromJsonString(Schema.Array(Schema.Unknown))

const decodeAll = Schema.decodeUnknownOption(Schema.Array(Message.Message))
const decodeOne = Schema.decodeUnknownOption(Message.Message)

const withCompleteCalls = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> => {
  const called = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  const answered = new Set(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []))
  return messages.flatMap((message) => {
    if (message.role === "tool") return called.has(message.tool_call_id ?? "") ? [message] : []
    if (message.tool_calls === undefined) return [message]
    const { tool_calls, ...rest } = message
    const complete = tool_calls.filter(({ id }) => answered.has(id))
    return [complete.length === 0 ? rest : { ...rest, tool_calls: complete }]
  })
}

/** The run that is shown the history, and its session where it is known. */
interface About {
  readonly run_id: string
  readonly session_id?: string
}

const decodeMessages = (
  stored: ReadonlyArray<unknown>,
  about: About
): Effect.Effect<ReadonlyArray<Message.Message>> => {
  const all = decodeAll(stored)
  if (Option.isSome(all)) return Effect.succeed(all.value)
  const each = stored.map((message) => decodeOne(message))
  const damaged = each.flatMap((message, place) => Option.isNone(message) ? [place] : [])
  return Effect.as(
    Effect.annotateLogs(
      Effect.logError(
        `The history of a run has ${damaged.length} of ${stored.length} messages that cannot be read. They are left out`
      ),
      { ...about, places: damaged.join() }
    ),
    withCompleteCalls(each.flatMap(Option.toArray))
  )
}

/** The messages of a run that was cancelled, failed or waits. */
const Unfinished = Schema.Struct({
  ended: Schema.Literals(UnfinishedTurn.statuses),
  messages: Schema.Array(Schema.Unknown)
})
const isUnfinished = Schema.is(Unfinished)

/** The turns of unfinished runs, and what is between them. */
const pieces = (stored: ReadonlyArray<unknown>): ReadonlyArray<typeof Unfinished.Type | ReadonlyArray<unknown>> => {
  const found: Array<typeof Unfinished.Type | Array<unknown>> = []
  for (const element of stored) {
    const last = found.at(-1)
    if (isUnfinished(element)) found.push(element)
    else if (Array.isArray(last)) last.push(element)
    else found.push([element])
  }
  return found
}

export const decode = (stored: ReadonlyArray<unknown>, about: About): Effect.Effect<ReadonlyArray<Message.Message>> =>
  Effect.map(
    Effect.forEach(pieces(stored), (piece) =>
      isUnfinished(piece)
        ? Effect.map(decodeMessages(piece.messages, about), (messages) => UnfinishedTurn.shown(messages, piece.ended))
        : decodeMessages(piece, about)),
    (turns) => turns.flat()
  )
