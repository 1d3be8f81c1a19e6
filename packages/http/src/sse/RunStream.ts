// A run's events as server-sent events: a frame per event, named by its kind, with its index as id. The stream ends by
// closing; there is no end marker, because the last event is one. If that event cannot come, a frame without an index
// gives the reason, so that a client does not take a broken stream for a finished run.
import * as AnswerRestarts from "@svc-runtime/domain/AnswerRestarts"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as EventText from "@svc-runtime/engine/run/events/EventText"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import { Array as Arr, Cause, Effect, Exit, identity, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { alive, headers } from "./EventStream.ts"
import * as StreamFailure from "./StreamFailure.ts"
import type { StreamError } from "./StreamFailure.ts"

const frame = (event: RunEvent.RunEvent): string =>
  `event: ${event.event}\nid: ${event.event_index}\ndata: ${EventText.of(event)}\n\n`

const control = (data: RunEvent.Control): string => `event: ${data.event}\ndata: ${JSON.stringify(data)}\n\n`

const errorFrame = (kind: ComponentKind.ComponentKind, message: string): string => {
  const { errorEvent: event, errorField, errorType } = ComponentKind.descriptions[kind]
  const data = { event, [errorField]: message, error_type: errorType }
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

const explain = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind, cause: Cause.Cause<StreamError>) {
  const { hasRunFailed, text } = yield* StreamFailure.of(cause)
  return hasRunFailed ? errorFrame(kind, text) : control({ event: "error", error: text })
})

const response = (bytes: Stream.Stream<Uint8Array>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(bytes, { contentType: "text/event-stream; charset=utf-8", headers })

/** Frames that are there at the same time leave in one write. */
const encoded = <A>(
  kind: ComponentKind.ComponentKind,
  pieces: Stream.Stream<A, StreamError>,
  toFrame: (piece: A) => string
): Stream.Stream<Uint8Array> =>
  pieces.pipe(
    Stream.mapArray((chunk): [Uint8Array] => [Buffer.from(chunk.map(toFrame).join(""))]),
    Stream.catchCause((cause) => Stream.map(Stream.fromEffect(explain(kind, cause)), (text) => Buffer.from(text)))
  )

export interface StreamOptions {
  /** Of the component whose run it is. */
  readonly kind: ComponentKind.ComponentKind
  readonly allEvents: boolean
  /** Executed if the watcher disconnects before the last event. */
  readonly onGone: Effect.Effect<unknown>
}

/** The answer or the failure, and where the answer begins again. */
const essentials = <E>(events: Stream.Stream<RunEvent.RunEvent, E>): Stream.Stream<RunEvent.RunEvent, E> =>
  Stream.suspend(() => {
    const isRestart = AnswerRestarts.make()
    return Stream.filter(events, (event) => isRestart(event) !== undefined || RunEvent.isEssential(event))
  })

/** For the client that started the run. */
export const respond = (
  handle: RunHandle,
  { allEvents, kind, onGone }: StreamOptions
): HttpServerResponse.HttpServerResponse => {
  const events = allEvents ? handle.events : essentials(handle.events)
  const bytes = alive(encoded(kind, events, frame)).pipe(
    Stream.onExit((exit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.asVoid(onGone) : Effect.void
    )
  )
  return response(bytes)
}

/** For a watcher, from any event. */
export const watch = (
  { events }: Watched,
  { allEvents, kind }: Pick<StreamOptions, "allEvents" | "kind">
): HttpServerResponse.HttpServerResponse =>
  response(alive(encoded(kind, allEvents ? events : essentials(events), frame)))

/** The same, with control events between the events of the run. */
export const resume = (
  kind: ComponentKind.ComponentKind,
  run_id: string,
  { count, events, status }: Watched,
  after: number
) => {
  const missed = Math.max(0, count - 1 - after)
  if (!Run.isActive(status)) {
    const replay = control({
      event: "replay",
      run_id,
      status,
      total_events: missed,
      total_buffered: count,
      last_event_index_requested: after,
      message: `The run has ended; ${missed} event(s) follow`
    })
    return response(alive(encoded(kind, Stream.concat(Stream.succeed(replay), Stream.map(events, frame)), identity)))
  }
  const state = { run_id, status: "running", current_event_count: count }
  const subscribed = control({
    event: "subscribed",
    ...state,
    message: "What happens from here on follows as it happens"
  })
  const catchUp = control({
    event: "catch_up",
    ...state,
    missed_events: missed,
    message: `${missed} event(s) were missed`
  })
  const shown = Stream.mapArray(
    events,
    (chunk) =>
      Arr.flatMap(chunk, (event) => event.event_index === count - 1 ? [frame(event), subscribed] : [frame(event)])
  )
  return response(
    alive(encoded(kind, Stream.concat(Stream.succeed(missed === 0 ? subscribed : catchUp), shown), identity))
  )
}

export const unknown = (run_id: string) =>
  response(Stream.succeed(Buffer.from(control({
    event: "error",
    error: `Run ${run_id} not found in buffer or database`
  }))))
