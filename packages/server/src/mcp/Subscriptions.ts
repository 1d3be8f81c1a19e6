// Accepts subscriptions to resources in sessions. The protocol requires this of a server with resources, and the
// library does not accept them over HTTP, where it cannot send at any time. The resources of this server never
// change, so nothing is stored and nothing is sent. A resource that changes needs both.
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

/** Undefined for other messages and for unknown resources, to which the library responds. */
export const respond = (
  message: unknown,
  { resources }: McpServer.McpServer["Service"]
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined =>
  isSubscribing(message) && resources.some(({ resource }) => resource.uri === message.params.uri)
    ? Effect.succeed(HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: message.id, result: {} }))
    : undefined
