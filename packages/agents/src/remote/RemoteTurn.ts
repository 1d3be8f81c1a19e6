// What a run does next with its remote agent, as the messages of the run say.
import { Option } from "effect"
import type { Prompt } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as RemoteCalls from "./RemoteCalls.ts"
import type { RemotePart, RemoteTask, Sent } from "./RemoteTasks.ts"

export type RemoteTurn =
  | { readonly _tag: "Send"; readonly message: RemoteCalls.Send }
  | { readonly _tag: "Follow"; readonly task: RemoteTask }
  /** There is an answer: without a task, or of a person who knows it. */
  | { readonly _tag: "Answer"; readonly parts: ReadonlyArray<RemotePart> }
  | {
    readonly _tag: "Fail"
    readonly message: string
    /** It waits for an answer that a person refused. */
    readonly open: string | undefined
  }

type UserMessage = Extract<Prompt.Message, { readonly role: "user" }>

const resultsIn = (message: Prompt.Message): ReadonlyArray<Prompt.ToolResultPart> =>
  message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : []

const filePart = ({ data, fileName, mediaType }: Prompt.FilePart): RemotePart => ({
  ...(data instanceof URL ? { url: data.href } : { raw: typeof data === "string" ? data : Base64.encode(data) }),
  mediaType,
  ...(fileName === undefined ? {} : { filename: fileName })
})

const messageOf = ({ content }: UserMessage, context_id: string | undefined): RemoteCalls.Send => {
  const files = content.flatMap((part) => part.type === "file" ? [filePart(part)] : [])
  return {
    message: content.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n"),
    ...(files.length === 0 ? {} : { files }),
    ...(context_id === undefined ? {} : { context_id })
  }
}

const sentIn = (part: Prompt.ToolResultPart): Option.Option<Sent> =>
  part.isFailure ? Option.none() : RemoteCalls.sentIn(String(part.result))

/** The context of the earlier messages. */
const contextIn = (messages: ReadonlyArray<Prompt.Message>): string | undefined =>
  messages.flatMap(resultsIn).flatMap((part) => Option.toArray(sentIn(part)))
    .findLast(({ context_id }) => context_id !== undefined)?.context_id

/** The task of the question that a call answers. */
const openTask = (messages: ReadonlyArray<Prompt.Message>, id: string): string | undefined => {
  const calls = messages.flatMap((message) => message.role === "assistant" ? message.content : [])
  const call = calls.findLast((part) => part.type === "tool-call" && part.id === id)
  if (call?.type !== "tool-call" || call.name !== RemoteCalls.answerName) return undefined
  const { task_id } = call.params as Partial<RemoteCalls.Answer>
  return task_id
}

const afterCall = (part: Prompt.ToolResultPart, messages: ReadonlyArray<Prompt.Message>): RemoteTurn => {
  const result = String(part.result)
  if (part.isFailure) return { _tag: "Fail", message: result, open: openTask(messages, part.id) }
  const sent = Option.getOrUndefined(sentIn(part))
  if (sent?.task_id === undefined) return { _tag: "Answer", parts: sent?.parts ?? [{ text: result }] }
  return { _tag: "Follow", task: { message_id: sent.message_id, task_id: sent.task_id } }
}

export const of = ({ content: messages }: Prompt.Prompt): RemoteTurn => {
  const last = messages.at(-1)
  const result = last === undefined ? undefined : resultsIn(last).at(-1)
  if (result !== undefined) return afterCall(result, messages)
  const user = messages.findLast((message) => message.role === "user")
  return user === undefined
    ? { _tag: "Fail", message: "There is no message for the remote agent", open: undefined }
    : { _tag: "Send", message: messageOf(user, contextIn(messages)) }
}
