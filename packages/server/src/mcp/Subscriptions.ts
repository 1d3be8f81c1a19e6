// Subscriptions to resources, in sessions. The library takes them where it can send at any time, and over HTTP it has
// no such way; but the protocol wants a server that has resources to take them. What is offered here does not change
// while it is served, so there is nothing to remember, and nothing is ever sent. A resource that changes will need
// both.
import { Effect, Schema } from "effect"
import type { McpServer } from "effect/ai"
import { HttpServerResponse } from "effect/http"

const Subscribing = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.Literals(["resources/subscribe", "resources/unsubscribe"]),
  params: Schema.Struct({ uri: Schema.String })
})
const isSubscribing = Schema.is(Subscribing)

/** Undefined for everything else, and for what is not there: the library has an answer to that. */
export const answer = (
  message: unknown,
  { resources }: McpServer.McpServer["Service"]
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined =>
  isSubscribing(message) && resources.some(({ resource }) => resource.uri === message.params.uri)
    ? Effect.succeed(HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: message.id, result: {} }))
    : undefined
