// A stream of server-sent events outlives the check of its credential. The check is repeated before each event and each
// heartbeat: a revoked or expired credential gets one last frame that says so, and nothing after it.
import { Data, Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

const encoder = new TextEncoder()

class Rejected extends Data.TaggedError("Rejected")<{ readonly detail: string }> {}

/** Undefined while the credential is accepted, else the reason why it no longer is. */
export type Check = Effect.Effect<string | undefined>

/** The last frame, of the reason. */
export type ClosingFrame = (detail: string) => string

/** As the other control frames of a run's stream. */
export const controlFrame: ClosingFrame = (detail) =>
  `event: error\ndata: ${JSON.stringify({ event: "error", error: `The stream ends: ${detail}` })}\n\n`

export const isEventStream = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Stream" && body.contentType.startsWith("text/event-stream")

export const authorized = (
  response: HttpServerResponse.HttpServerResponse,
  check: Check,
  closingFrame: ClosingFrame
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream") return response
  const bytes = body.stream.pipe(
    Stream.mapEffect((chunk) =>
      Effect.flatMap(check, (detail) => detail === undefined ? Effect.succeed(chunk) : new Rejected({ detail }))
    ),
    Stream.catchIf(
      (error): error is Rejected => error instanceof Rejected,
      ({ detail }) => Stream.succeed(encoder.encode(closingFrame(detail)))
    )
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(bytes, body.contentType))
}
