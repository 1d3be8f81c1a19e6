// Whether a request was interrupted by a disconnect of its client. For the handling code that looks like a
// cancellation, but it means something else: a run continues without its client, and ends when it is cancelled.
import type * as Json from "@svc-runtime/domain/Json"
import { Context, Effect, Exit, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

interface Request {
  isGone: boolean
  /** The task that the call has become. */
  task: Json.Object | undefined
}

/** What the code of a tool and the endpoint tell each other about the request that they respond to. */
export const ClientRequest = Context.Reference<Request>("@svc-runtime/server/mcp/ClientDisconnect", {
  defaultValue: () => ({ isGone: false, task: undefined })
})

/** Also ends a response that is still being sent when its client disconnects. */
const watchedBody = (response: HttpServerResponse.HttpServerResponse, gone: Effect.Effect<void>) => {
  const { body } = response
  if (body._tag !== "Stream") return response
  const { contentType, stream } = body
  const watched = Stream.onExit(stream, (exit) => Exit.isSuccess(exit) ? Effect.void : gone)
  return HttpServerResponse.setBody(response, HttpBody.stream(watched, contentType))
}

/** It must be the outermost layer, to see the disconnect before the inner code is interrupted. */
export const watched = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.suspend(() => {
    const request: Request = { isGone: false, task: undefined }
    const gone = Effect.sync(() => {
      request.isGone = true
    })
    return app.pipe(
      Effect.onInterrupt(() => gone),
      Effect.map((response) => watchedBody(response, gone)),
      Effect.provideService(ClientRequest, request)
    )
  })
