// A run's events as server-sent events: a frame per event, named by its kind, with its index as id. The stream ends by
// closing; there is no end marker, because the last event is one. Where that event cannot come, one without an index
// says why: a caller must never take a broken stream for a finished run.
import { RunEvent } from "@svc/domain"
import { NewId, type RunHandle, type StorageUnavailable } from "@svc/runtime"
import { Cause, Effect, Exit, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

const encoder = new TextEncoder()

const frame = (event: RunEvent.RunEvent): string =>
  `event: ${event.event}\nid: ${event.event_index}\ndata: ${JSON.stringify(event)}\n\n`

const errorFrame = (content: string, error_type: string): Uint8Array =>
  encoder.encode(`event: RunError\ndata: ${JSON.stringify({ event: "RunError", content, error_type })}\n\n`)

const explain = Effect.fnUntraced(function*(cause: Cause.Cause<StorageUnavailable>) {
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some") return errorFrame(error.value.message, "remote_server_unavailable_error")
  if (Cause.hasInterruptsOnly(cause)) {
    return errorFrame("The service stopped before this run had finished", "agent_run_error")
  }
  const request_id = (yield* NewId)()
  yield* Effect.annotateLogs(Effect.logError("A stream of events broke off", cause), { request_id })
  return errorFrame(`The service failed. Its log says more under request_id ${request_id}.`, "agent_run_error")
})

const headers = { "cache-control": "no-cache", "x-accel-buffering": "no" }

export const respond = (
  handle: RunHandle,
  wanted: {
    readonly allEvents: boolean
    /** Done when the one who watches goes away before the last event. */
    readonly onGone: Effect.Effect<unknown>
  }
): HttpServerResponse.HttpServerResponse => {
  const events = wanted.allEvents ? handle.events : Stream.filter(handle.events, RunEvent.isEssential)
  const bytes = events.pipe(
    // Events that are there at the same time leave in one write.
    Stream.mapArray((chunk) => [encoder.encode(chunk.map(frame).join(""))]),
    Stream.catchCause((cause) => Stream.fromEffect(explain(cause))),
    Stream.onExit((exit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.asVoid(wanted.onGone) : Effect.void
    )
  )
  return HttpServerResponse.stream(bytes, { contentType: "text/event-stream; charset=utf-8", headers })
}
