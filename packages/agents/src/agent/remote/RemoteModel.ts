// The model of an agent that is elsewhere: it asks for the calls that send a message and answer a question, and its
// answer is that of the remote task. So the run has the journal, the pauses and the events of any agent.
import type * as Json from "@svc-runtime/domain/Json"
import { ByteLimits, bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import type { Model } from "@svc-runtime/models/Model"
import type { Details } from "@svc-runtime/models/ModelError"
import { Effect, Option, Predicate, Queue, Result, Stream } from "effect"
import { AiError, LanguageModel, type Prompt, Response } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as RemoteCalls from "../../remote/RemoteCalls.ts"
import {
  type Remote,
  RemoteFailed,
  type RemotePart,
  type RemoteTask,
  RemoteTasks,
  type Sent,
  unavailable
} from "../../remote/RemoteTasks.ts"
import * as Text from "../execute/Text.ts"

/** The text of a remote agent, up to the limit of the answers of all models, before it is collected. */
export const limitedText = Effect.fnUntraced(function*({ id }: Remote, onText: (text: string) => Effect.Effect<void>) {
  const { output: limit } = yield* ByteLimits
  const message = `The answer of the remote agent ${id} is larger than ${limit} bytes (OUTPUT_MAX_BYTES)`
  let bytes = 0
  return (text: string): Effect.Effect<void, RemoteFailed> => {
    bytes += bytesOf(text)
    return bytes <= limit ? onText(text) : Effect.fail(new RemoteFailed({ message }))
  }
})

// What a run does next with its remote agent, as the messages of the run say.

type RemoteTurn =
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

const remoteTurnFilePart = ({ data, fileName, mediaType }: Prompt.FilePart): RemotePart => ({
  ...(data instanceof URL ? { url: data.href } : { raw: typeof data === "string" ? data : Base64.encode(data) }),
  mediaType,
  ...(fileName === undefined ? {} : { filename: fileName })
})

const messageOf = ({ content }: UserMessage, context_id: string | undefined): RemoteCalls.Send => {
  const files = content.flatMap((part) => part.type === "file" ? [remoteTurnFilePart(part)] : [])
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

const of = ({ content: messages }: Prompt.Prompt): RemoteTurn => {
  const last = messages.at(-1)
  const result = last === undefined ? undefined : resultsIn(last).at(-1)
  if (result !== undefined) return afterCall(result, messages)
  const user = messages.findLast((message) => message.role === "user")
  return user === undefined
    ? { _tag: "Fail", message: "There is no message for the remote agent", open: undefined }
    : { _tag: "Send", message: messageOf(user, contextIn(messages)) }
}

export interface RemoteModel extends Model {
  readonly remote: Remote
}

export const isRemoteModel = (model: unknown): model is RemoteModel => Predicate.hasProperty(model, "remote")

type Show = (part: Response.AnyPart) => Effect.Effect<void>

const usage = new Response.Usage({
  inputTokens: { uncached: 0, total: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 }
})

const block = "0"

const textPart = (delta: string): Response.AnyPart => Response.makePart("text-delta", { id: block, delta })

const callPart = (name: string, params: Json.Object): Response.AnyPart =>
  Response.makePart("tool-call", { id: `call_${name}`, name, params, providerExecuted: false })

/** Files are files of the run, and addresses its sources. */
const filePart = (
  { filename, mediaType = "application/octet-stream", raw, url }: RemotePart
): ReadonlyArray<Response.AnyPart> => {
  if (raw !== undefined) {
    const data = Base64.decode(raw)
    return Result.isSuccess(data) ? [Response.makePart("file", { mediaType, data: data.success })] : []
  }
  const address = url === undefined ? null : URL.parse(url)
  if (address === null) return []
  // the type of the constructor is that of a document, which it does not have to be
  const source = { sourceType: "url", id: address.href, url: address, title: filename ?? address.href }
  return [Response.makePart("source", source as never)]
}

const textOf = ({ data, text }: RemotePart): string => text ?? (data === undefined ? "" : Text.ofJson(data))

/** One turn of the run. */
const take = Effect.fnUntraced(function*(remote: Remote, prompt: Prompt.Prompt, show: Show) {
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(RemoteTasks))
  if (tasks === undefined) return yield* unavailable
  const turn = of(prompt)
  switch (turn._tag) {
    case "Send":
      return yield* show(callPart(RemoteCalls.sendName, { ...turn.message }))
    case "Answer":
      yield* show(textPart(turn.parts.map(textOf).join("")))
      return yield* Effect.forEach(turn.parts.flatMap(filePart), show, { discard: true })
    case "Fail":
      if (turn.open !== undefined) yield* Effect.ignore(tasks.cancel(remote, turn.open), { log: true })
      return yield* new RemoteFailed({ message: turn.message })
    case "Follow": {
      const onText = yield* limitedText(remote, (text) => show(textPart(text)))
      const end = yield* tasks.follow(remote, turn.task, onText)
      if (end._tag === "Answered") return yield* Effect.forEach(end.files.flatMap(filePart), show, { discard: true })
      const { context_id, question } = end
      yield* show(textPart(question))
      return yield* show(callPart(RemoteCalls.answerName, {
        question,
        task_id: turn.task.task_id,
        ...(context_id === undefined ? {} : { context_id })
      }))
    }
  }
})

const toAiError = (remote: Remote) => ({ message }: RemoteFailed): AiError.AiError =>
  AiError.make({
    module: remote.id,
    method: "follow",
    reason: new AiError.InvalidRequestError({
      description: message,
      metadata: { svc: { message, retryable: false, status: null, retry_after_millis: null } satisfies Details }
    })
  })

const parts = (remote: Remote, prompt: Prompt.Prompt): Stream.Stream<Response.AnyPart, AiError.AiError> =>
  Stream.callback<Response.AnyPart, AiError.AiError>(
    Effect.fnUntraced(function*(queue) {
      const show: Show = (part) => Effect.asVoid(Queue.offer(queue, part))
      let hasCall = false
      yield* show(Response.makePart("text-start", { id: block }))
      const taken = yield* Effect.exit(
        Effect.mapError(
          take(remote, prompt, (part) => {
            hasCall ||= part.type === "tool-call"
            return show(part)
          }),
          toAiError(remote)
        )
      )
      if (taken._tag === "Failure") return yield* Queue.failCause(queue, taken.cause)
      yield* show(Response.makePart("text-end", { id: block }))
      yield* show(Response.makePart("finish", { reason: hasCall ? "tool-calls" : "stop", usage }))
      yield* Queue.end(queue)
    }),
    { bufferSize: 16 }
  )

const noObjects = new RemoteFailed({ message: "A remote agent makes no objects" })

export const make = (remote: Remote): RemoteModel => ({
  id: new URL(remote.url).host,
  name: "A2A",
  provider: "A2A",
  remote,
  // the signatures of the service promise parts of the caller's own toolkit; these belong to every toolkit
  languageModel: LanguageModel.LanguageModel.of({
    [LanguageModel.TypeId]: LanguageModel.TypeId,
    generateText: ({ prompt }: { readonly prompt: unknown }) =>
      Effect.map(
        Stream.runCollect(parts(remote, prompt as Prompt.Prompt)),
        (all) => new LanguageModel.GenerateTextResponse<{}>([...all] as never)
      ) as never,
    generateObject: () => Effect.fail(toAiError(remote)(noObjects)) as never,
    streamText: ({ prompt }: { readonly prompt: unknown }) => parts(remote, prompt as Prompt.Prompt) as never
  })
})
