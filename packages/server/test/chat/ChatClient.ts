// The official client of the UI message stream against the service on a real port: `DefaultChatTransport` sends, and
// `readUIMessageStream` builds the message. Every warning and error of the client fails the test.
import { assert } from "@effect/vitest"
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai"
import { Effect } from "effect"

export interface Reply {
  /** As the client has built it. */
  readonly message: UIMessage
  readonly chunks: ReadonlyArray<UIMessageChunk>
  readonly errors: ReadonlyArray<string>
}

export const user = (text: string, id = "m1"): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] })

const collect = async (stream: ReadableStream<UIMessageChunk>, before?: UIMessage): Promise<Reply> => {
  const chunks: Array<UIMessageChunk> = []
  const errors: Array<string> = []
  const seen = stream.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => {
        chunks.push(structuredClone(chunk))
        controller.enqueue(chunk)
      }
    })
  )
  let message = before
  const messages = readUIMessageStream({
    ...(before === undefined ? {} : { message: structuredClone(before) }),
    stream: seen,
    onError: (error) => void errors.push(String(error)),
    terminateOnError: false
  })
  for await (const state of messages) message = state
  return { message: message ?? { id: "", role: "assistant", parts: [] }, chunks, errors }
}

export interface Sending {
  readonly chatId?: string
  readonly trigger?: "submit-message" | "regenerate-message"
  readonly messageId?: string
  readonly abortSignal?: AbortSignal
}

export const make = (
  url: string,
  component: string,
  options: { readonly headers?: Record<string, string>; readonly body?: object } = {}
) => {
  const transport = new DefaultChatTransport({ api: `${url}/${component}/chat`, ...options })
  return {
    send: (
      messages: Array<UIMessage>,
      { abortSignal, chatId = "chat", messageId, trigger = "submit-message" }: Sending = {}
    ) =>
      Effect.promise(async () => {
        const stream = await transport.sendMessages({ chatId, messages, trigger, messageId, abortSignal })
        const last = messages.at(-1)
        return collect(stream, last?.role === "assistant" ? last : undefined)
      }),
    /** The connection, which then gives the response. */
    reconnect: (chatId = "chat") =>
      Effect.map(
        Effect.promise(() => transport.reconnectToStream({ chatId })),
        (stream) => Effect.promise(async () => stream === null ? undefined : collect(stream))
      ),
    transport
  }
}

export const withoutErrors = (reply: Reply): Reply => {
  assert.deepStrictEqual(reply.errors, [])
  return reply
}

export const textOf = ({ message }: Reply): string =>
  message.parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("|")

export const typesOf = ({ chunks }: Reply): ReadonlyArray<string> => chunks.map(({ type }) => type)
