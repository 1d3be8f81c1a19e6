// The header `Retry-After` of a request that is refused because of a limit, for the middleware that sends it.
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/** Seconds, by what a request came from. */
const noted = new WeakMap<object, number>()

/** Of the current request, if there is one. */
export const note = (seconds: number): Effect.Effect<void> =>
  Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), (request) => {
    if (Option.isSome(request)) noted.set(request.value.source, seconds)
  })

/** A limit is temporary, so a client can retry shortly, unless it is known better. */
export const of = ({ source }: HttpServerRequest.HttpServerRequest): string => String(noted.get(source) ?? 1)
