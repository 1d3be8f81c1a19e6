// The response to one JSON-RPC request: one object, or one event of a stream, which can have other events before it and
// can stay open.
import { Effect, Option, Schema, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

const Message = Schema.Record(Schema.String, Schema.Json)
export type Message = typeof Message.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

/** Tells responses from requests and notifications of the server. */
const isResponse = (message: Message): boolean => "result" in message || "error" in message

const eventsOf = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<Option.Option<Message>, HttpClientError.HttpClientError> =>
  response.stream.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("data:")),
    Stream.map((line) => decode(line.slice("data:".length))),
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.takeUntil(isResponse),
    Stream.runCollect,
    Effect.map((messages) => Option.fromUndefinedOr(messages.find(isResponse) ?? messages[0]))
  )

/** The response in the body, if it has one. */
export const ofResponse = (response: HttpClientResponse.HttpClientResponse) =>
  response.headers["content-type"]?.includes("text/event-stream") === true
    ? eventsOf(response)
    : Effect.map(response.text, decode)
