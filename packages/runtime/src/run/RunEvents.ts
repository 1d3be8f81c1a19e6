// Numbers a run's events and keeps them for those who watch. Publishing is a plain function call: nothing in a run waits
// for a watcher. A watcher is a place in the list and nothing else, so a slow one costs no memory, and one that comes late
// begins wherever it wants.
//
// An event is shown when it is stored, and not before: what somebody has seen is never taken back, even if this process is
// killed the moment after.
import { type RunEvent, type StorageUnavailable, Time } from "@svc/domain"
import { type Cause, Clock, Effect, type Exit, Queue, Stream } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"
import type { Component } from "./Runnable.ts"
import type { RunRequest } from "./RunRequest.ts"

export type Reader = Queue.Queue<RunEvent.RunEvent, StorageUnavailable | RunHandedOver | Cause.Done>

export interface Options {
  readonly request: Pick<RunRequest, "run_id" | "session_id">
  readonly component: Component
  /** Whether the events are kept. Nobody can watch a run otherwise. */
  readonly isKept: boolean
  /** The index of the first event: those before it are stored. */
  readonly first: number
  /** Gets every event as soon as it is stored: it is the one who started the run. */
  readonly reader: Reader | undefined
  /** Called when there is something to store. */
  readonly onNews: () => void
}

export interface RunEvents {
  readonly isKept: boolean
  readonly first: number
  /** How many are shown, with those before the first. */
  readonly count: () => number
  /** Those that are not stored yet, in their order. */
  readonly unstored: () => ReadonlyArray<RunEvent.RunEvent>
  /** These are stored now, and are shown. Those that were shown already are passed over. */
  readonly stored: (events: ReadonlyArray<RunEvent.RunEvent>) => void
  readonly publish: (payload: RunEvent.Payload | RunEvent.Inner) => void
  /** Gives an event its place among those to be stored, and tells nobody of it. */
  readonly add: (payload: RunEvent.Payload | RunEvent.Inner) => RunEvent.RunEvent
  readonly end: (exit: Exit.Exit<unknown, StorageUnavailable | RunHandedOver>) => Effect.Effect<void>
  /** Those behind an index, none of them before the first, then those that come, until the run has ended. */
  readonly after: (index: number) => Stream.Stream<RunEvent.RunEvent>
}

export const make = Effect.fnUntraced(function*({ component, first, isKept, onNews, reader, request }: Options) {
  const clock = yield* Clock.Clock
  const all: Array<RunEvent.RunEvent> = []
  let waiting: Array<() => void> = []
  let shown = 0
  let next = first
  let hasEnded = false

  const own = { ...component.tags, run_id: request.run_id, session_id: request.session_id, nested_depth: 0 }

  const add = (payload: RunEvent.Payload | RunEvent.Inner): RunEvent.RunEvent => {
    // the component's own events, or those of a run within this one, which say whose they are
    const event = {
      created_at: Time.fromMillis(clock.currentTimeMillisUnsafe()),
      ...payload,
      ...("run_id" in payload ? {} : own),
      event_index: next++
    } as RunEvent.RunEvent
    if (isKept) all.push(event)
    return event
  }

  const wake = () => {
    if (waiting.length === 0) return
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }

  const stored = (events: ReadonlyArray<RunEvent.RunEvent>) => {
    const last = events.at(-1)
    if (last === undefined || !isKept) return
    const end = last.event_index + 1 - first
    if (end <= shown) return
    if (reader !== undefined) Queue.offerAllUnsafe(reader, all.slice(shown, end))
    shown = end
    wake()
  }

  const news = Effect.callback<void>((resume) => {
    waiting.push(() => resume(Effect.void))
  })

  const from = (place: number): Effect.Effect<readonly [ReadonlyArray<RunEvent.RunEvent>, number] | undefined> =>
    Effect.suspend(() => {
      if (place < shown) return Effect.succeed([all.slice(place, shown), shown] as const)
      return hasEnded ? Effect.succeed(undefined) : Effect.andThen(news, from(place))
    })

  const events: RunEvents = {
    isKept,
    first,
    count: () => first + shown,
    unstored: () => all.slice(shown),
    stored,
    add,
    // Nobody watches and nothing is kept: an event would only be thrown away.
    publish: (payload) => {
      if (!isKept) return
      add(payload)
      onNews()
    },
    end: (exit) => {
      hasEnded = true
      wake()
      if (reader === undefined) return Effect.void
      return exit._tag === "Success" ? Queue.end(reader) : Queue.failCause(reader, exit.cause)
    },
    // an event's index, less that of the first, is its place
    after: (index) =>
      Stream.unfold(Math.max(0, index + 1 - first), from).pipe(
        Stream.flatMap((found) => Stream.fromArray(found))
      )
  }
  return events
})
