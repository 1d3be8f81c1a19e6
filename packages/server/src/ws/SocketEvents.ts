// The events of a run as messages of a socket.
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandedOver } from "@svc-runtime/engine/run/RunErrors"
import { Cause, Effect, Stream } from "effect"
import { error } from "./SocketMessage.ts"

type Events = Watched["events"]

const json = (value: unknown) => JSON.stringify(value)

/** For the socket that started or continued the run: in the form of server-sent events, as clients expect. */
const framed = (event: RunEvent.RunEvent): string => `event: ${event.event}\ndata: ${json(event)}\n\n`

const bare = (event: RunEvent.RunEvent): string => json(event)

const isShown = ({ event }: RunEvent.RunEvent) => event !== "StepOutput"

const broken = (run_id: string) => (cause: Cause.Cause<StorageUnavailable | RunHandedOver>) => {
  if (Cause.hasInterruptsOnly(cause)) return Stream.failCause(Cause.interrupt())
  const text = json(error(`Subscription failed: run ${run_id} continues, reconnect to it`))
  return Stream.fromEffect(
    Cause.hasDies(cause)
      ? Effect.as(
        Effect.annotateLogs(Effect.logError("The events of a run cannot be sent to a socket", cause), { run_id }),
        text
      )
      : Effect.succeed(text)
  )
}

const texts = (run_id: Run.Id, events: Events, text: (event: RunEvent.RunEvent) => string) =>
  events.pipe(Stream.filter(isShown), Stream.map(text), Stream.catchCause(broken(run_id)))

/** `text`: server-sent events. `json`: the client has asked for JSON. */
export type Form = "text" | "json"

export const live = (run_id: Run.Id, events: Events, form: Form): Stream.Stream<string> =>
  texts(run_id, events, form === "json" ? bare : framed)

/** Of a run that has ended. */
export const replayed = (run_id: Run.Id, { count, events, status }: Watched, after: number): Stream.Stream<string> => {
  const missed = Math.max(0, count - 1 - after)
  const head: RunEvent.Control = {
    event: "replay",
    run_id,
    status,
    total_events: missed,
    message: `The run has ended; ${missed} event(s) follow`
  }
  return Stream.concat(Stream.succeed(json(head)), texts(run_id, events, bare))
}

/** Of a run that has not ended: the events that were missed, then those to come. */
export const caughtUp = (run_id: Run.Id, { count, events, status }: Watched, after: number): Stream.Stream<string> => {
  const missed = Math.max(0, count - 1 - after)
  const state = { run_id, status: status === "PAUSED" ? "paused" : "running", current_event_count: count }
  const subscribed = json({ event: "subscribed", ...state, message: "What happens from here on follows as it happens" })
  const catchUp = json({
    event: "catch_up",
    ...state,
    missed_events: missed,
    message: `${missed} event(s) were missed`
  })
  if (missed === 0) return Stream.concat(Stream.succeed(subscribed), texts(run_id, events, bare))
  const text = (event: RunEvent.RunEvent) => event.event_index === count - 1 ? [bare(event), subscribed] : [bare(event)]
  const shown = events.pipe(
    // the last missed event may be a hidden one
    Stream.filter((event) => isShown(event) || event.event_index === count - 1),
    Stream.flatMap((event) => Stream.fromIterable(isShown(event) ? text(event) : [subscribed])),
    Stream.catchCause(broken(run_id))
  )
  return Stream.concat(Stream.succeed(catchUp), shown)
}
