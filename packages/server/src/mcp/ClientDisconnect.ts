// Whether a request was interrupted by a disconnect of its client. For the handling code that looks like a
// cancellation, but it means something else: a run continues without its client, and ends when it is cancelled.
import { Context, Effect, Exit, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

interface Connection {
  isGone: boolean
}

/** Of the current request. */
export const ClientConnection = Context.Reference<Connection>("@svc-runtime/server/mcp/ClientDisconnect", {
  defaultValue: () => ({ isGone: false })
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
    const connection: Connection = { isGone: false }
    const gone = Effect.sync(() => {
      connection.isGone = true
    })
    return app.pipe(
      Effect.onInterrupt(() => gone),
      Effect.map((response) => watchedBody(response, gone)),
      Effect.provideService(ClientConnection, connection)
    )
  })
