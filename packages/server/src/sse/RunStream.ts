// A run's events as server-sent events: a frame per event, named by its kind, with its index as id. The stream ends by
// closing; there is no end marker, because the last event is one.
import { RunEvent } from "@svc/domain"
import type { RunHandle, StorageUnavailable } from "@svc/runtime"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

const encoder = new TextEncoder()

const frame = (event: RunEvent.RunEvent): string =>
  `event: ${event.event}\nid: ${event.event_index}\ndata: ${JSON.stringify(event)}\n\n`

/** The run went through, but its end could not be stored: the caller must not take it for finished. */
const lost = (error: StorageUnavailable): string =>
  `event: RunError\ndata: ${
    JSON.stringify({ event: "RunError", content: error.message, error_type: "remote_server_unavailable_error" })
  }\n\n`

const headers = { "cache-control": "no-cache", "x-accel-buffering": "no" }

export const respond = (
  handle: RunHandle,
  wanted: { readonly allEvents: boolean }
): HttpServerResponse.HttpServerResponse => {
  const events = wanted.allEvents ? handle.events : Stream.filter(handle.events, RunEvent.isEssential)
  const bytes = events.pipe(
    // Events that are there at the same time leave in one write.
    Stream.mapArray((chunk) => [encoder.encode(chunk.map(frame).join(""))]),
    Stream.catch((error) => Stream.fromEffect(Effect.sync(() => encoder.encode(lost(error)))))
  )
  return HttpServerResponse.stream(bytes, { contentType: "text/event-stream; charset=utf-8", headers })
}
