// The HTTP request of a call, which only factories read.
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

export const currentRequest = Effect.map(
  Effect.serviceOption(HttpServerRequest.HttpServerRequest),
  Option.getOrNull
)
