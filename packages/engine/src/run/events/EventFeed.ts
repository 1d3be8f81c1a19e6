// The last events of one run, shared by its watchers in this process. A watcher is only an index into the list. Events
// that are dropped from the front of the list are stored: watchers that are further behind read them from the store.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Effect } from "effect"
import * as PacedCalls from "../../limits/PacedCalls.ts"
import * as EventText from "./EventText.ts"

/** `complete`: no event follows. `broken`: later events can be on another node. */
export type State = "open" | "complete" | "broken"

export interface EventFeed {
  /** The index of the next event. */
  readonly next: () => number
  readonly state: () => State
  /** The events from an index on. Undefined if they are only in the store. */
  readonly from: (index: number) => ReadonlyArray<RunEvent.RunEvent> | undefined
  readonly push: (events: ReadonlyArray<RunEvent.RunEvent>) => void
  readonly end: (state: Exclude<State, "open">) => void
  /** Wakes all waiting readers, many of them in pieces. */
  readonly wake: () => void
  /** Returns at the next change. */
  readonly news: Effect.Effect<void>
}

/** Bytes of events that a run keeps in memory, whatever its length. */
export const maxBytes = 256 * 1024

/** What all feeds of a process keep together. */
export interface Room {
  readonly limit: number
  /** A feed keeps as many bytes where there is no room: watchers that are not behind need no more. */
  readonly least: number
  held: number
}

const room: Room = { limit: 64 * 1024 * 1024, least: 16 * 1024, held: 0 }

/** The readers of all feeds of a process. */
const readers = PacedCalls.make(64)

export const make = (first: number, limit = maxBytes, shared = room): EventFeed => {
  let events: Array<RunEvent.RunEvent> = []
  let sizes: Array<number> = []
  /** How many at the front of the list are dropped. */
  let dropped = 0
  let start = first
  let bytes = 0
  let state: State = "open"
  const waiting = new Set<() => void>()

  const wake = () => {
    if (waiting.size === 0) return
    const woken = [...waiting]
    waiting.clear()
    for (const resume of woken) readers.add(resume)
  }

  /** A feed that has ended is no longer counted: its run and its watchers release it. */
  const count = (more: number) => {
    bytes += more
    if (state === "open") shared.held += more
  }

  const isOver = () => bytes > limit || (shared.held > shared.limit && bytes > shared.least)

  const drop = () => {
    while (isOver() && dropped < events.length) count(-(sizes[dropped++] ?? 0))
    // the list is copied once for as many as it holds
    if (dropped * 2 < events.length || dropped === 0) return
    start += dropped
    events = events.slice(dropped)
    sizes = sizes.slice(dropped)
    dropped = 0
  }

  return {
    next: () => start + events.length,
    state: () => state,
    from: (index) => {
      if (index >= start + events.length) return []
      return index < start + dropped ? undefined : events.slice(index - start)
    },
    push: (more) => {
      const expected = start + events.length
      for (const event of more) {
        if (event.event_index < expected) continue
        const size = EventText.of(event).length
        events.push(event)
        sizes.push(size)
        count(size)
      }
      if (start + events.length === expected) return
      drop()
      wake()
    },
    end: (ended) => {
      if (state === "open") {
        shared.held -= bytes
        state = ended
      }
      wake()
    },
    wake,
    news: Effect.callback<void>((resume) => {
      const wake = () => resume(Effect.void)
      waiting.add(wake)
      return Effect.sync(() => waiting.delete(wake))
    })
  }
}
