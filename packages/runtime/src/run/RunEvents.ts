// Numbers a run's events and keeps them for those who watch. Publishing is a plain function call: nothing in a run waits
// for a watcher. A watcher is a place in the list and nothing else, so a slow one costs no memory, and one that comes late
// begins wherever it wants.
import { type RunEvent, type StorageUnavailable, Time } from "@svc/domain"
import { type Cause, Clock, Effect, type Exit, Queue, Stream } from "effect"
import type { RunCommand } from "../agent/RunCommand.ts"

type Reader = Queue.Queue<RunEvent.RunEvent, StorageUnavailable | Cause.Done>

export interface RunEvents {
  /** Whether the events are kept. Nobody can watch a run otherwise. */
  readonly isKept: boolean
  readonly count: () => number
  /** Those that are not stored yet, in their order. */
  readonly unstored: () => ReadonlyArray<RunEvent.RunEvent>
  /** The first so many of them are stored now. */
  readonly stored: (count: number) => void
  readonly publish: (payload: RunEvent.Payload) => void
  /** Gives an event its place in the run without publishing it. */
  readonly number: (payload: RunEvent.Payload) => RunEvent.RunEvent
  /** Publishes an event that has its place, after it was stored. */
  readonly offer: (event: RunEvent.RunEvent) => void
  readonly end: (exit: Exit.Exit<unknown, StorageUnavailable>) => Effect.Effect<void>
  /** Those behind an index, then those that come, until the run has ended. */
  readonly after: (index: number) => Stream.Stream<RunEvent.RunEvent>
}

/** `reader` gets every event at once: it is the one who started the run. */
export const make = Effect.fnUntraced(function*(command: RunCommand, reader: Reader | undefined) {
  const clock = yield* Clock.Clock
  const isKept = command.stream || command.background
  const all: Array<RunEvent.RunEvent> = []
  let waiting: Array<() => void> = []
  let next = 0
  let storedCount = 0
  let hasEnded = false

  const number = (payload: RunEvent.Payload): RunEvent.RunEvent => ({
    created_at: Time.fromMillis(clock.currentTimeMillisUnsafe()),
    ...payload,
    agent_id: command.agent.id,
    agent_name: command.agent.name,
    run_id: command.run_id,
    session_id: command.session_id,
    nested_depth: 0,
    event_index: next++
  })

  const wake = () => {
    if (waiting.length === 0) return
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }

  const offer = (event: RunEvent.RunEvent) => {
    if (!isKept) return
    all.push(event)
    if (reader !== undefined) Queue.offerUnsafe(reader, event)
    wake()
  }

  const news = Effect.callback<void>((resume) => {
    waiting.push(() => resume(Effect.void))
  })

  const from = (place: number): Effect.Effect<readonly [ReadonlyArray<RunEvent.RunEvent>, number] | undefined> =>
    Effect.suspend(() => {
      if (place < all.length) return Effect.succeed([all.slice(place), all.length] as const)
      return hasEnded ? Effect.succeed(undefined) : Effect.andThen(news, from(place))
    })

  const events: RunEvents = {
    isKept,
    count: () => all.length,
    unstored: () => all.slice(storedCount),
    stored: (count) => {
      storedCount += count
    },
    number,
    offer,
    // Nobody watches and nothing is kept: an event would only be thrown away.
    publish: (payload) => {
      if (isKept) offer(number(payload))
    },
    end: (exit) => {
      hasEnded = true
      wake()
      if (reader === undefined) return Effect.void
      return exit._tag === "Success" ? Queue.end(reader) : Queue.failCause(reader, exit.cause)
    },
    // an event's index is its place
    after: (index) =>
      Stream.unfold(index + 1, from).pipe(
        Stream.flatMap((found) => Stream.fromArray(found))
      )
  }
  return events
})
