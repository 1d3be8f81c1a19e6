// Numbers a run's events and keeps them until they are stored. Publishing is a plain function call: nothing in a run
// waits for a watcher.
//
// An event is shown when it is stored, and not before: a shown event is never taken back, even if this process is
// killed the moment after. Words are the exception (`ShownWords`).
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Effect } from "effect"
import type { RunCommand } from "../RunCommand.ts"
import type { ComponentIdentity } from "../Runnable.ts"
import * as EventFeed from "./EventFeed.ts"
import * as EventText from "./EventText.ts"
import * as JoinedText from "./JoinedText.ts"
import * as ShownWords from "./ShownWords.ts"
import * as UnstoredRoom from "./UnstoredRoom.ts"

/** Text is joined behind so many events that wait for the store, if the first has waited so many milliseconds. */
export const [maxWaiting, joinAfter] = [8, 20]

/** Of an event, beside its texts. */
const fieldBytes = 256

const lengthOf = (text: unknown): number => typeof text === "string" ? text.length : 0

/** About as many bytes as it takes. An event of text has no JSON yet, because more text may be joined to it. */
const sizeOf = (event: RunEvent.RunEvent): number => {
  if (event.event !== "RunContent" && event.event !== "TeamRunContent") return EventText.of(event).length
  const { content, reasoning_content } = event as { readonly content?: unknown; readonly reasoning_content?: unknown }
  return fieldBytes + lengthOf(content) + lengthOf(reasoning_content)
}

export interface Options {
  readonly command: Pick<RunCommand, "run_id" | "session_id">
  readonly component: ComponentIdentity
  /** Whether the events are kept. The run cannot be watched otherwise. */
  readonly isKept: boolean
  /** The index of the first event: those before it are stored. */
  readonly first: number
  /** The last of these, if it is a word. */
  readonly lastWord?: RunEvent.RunEvent | undefined
  /** Called when there is something to store. It can be stored later if all of it is shown. */
  readonly onPending: (isShown: boolean) => void
  /** Called when something of the run is stored. */
  readonly onStored: () => void
  /** What the runs of the node keep together. */
  readonly room?: UnstoredRoom.UnstoredRoom | undefined
  /** Called when events are shown: with the seconds that the oldest waited, and from the start to the first events. */
  readonly onShown?: ((seconds: number, untilFirst: number | undefined) => void) | undefined
}

export interface RunEvents {
  readonly isKept: boolean
  readonly first: number
  /** The stored events, for watchers. */
  readonly feed: EventFeed.EventFeed
  /** Events that are not stored yet, in their order, as they will be stored. They no longer change. */
  readonly unstored: () => ReadonlyArray<RunEvent.RunEvent>
  /** These are stored now, and are shown. Events that were shown before are ignored. */
  readonly stored: (events: ReadonlyArray<RunEvent.RunEvent>) => void
  readonly publish: (payload: RunEvent.Payload | RunEvent.Inner) => void
  /** The run is executed: until its feed ends, what it keeps counts among the events of the node. */
  readonly begin: () => void
  /** Whether the run is too far ahead of the store. */
  readonly isFull: () => boolean
  /** Waits while it is. */
  readonly hasRoom: Effect.Effect<void>
  /** What is published meanwhile is stored by the caller, with a journal entry. */
  readonly hold: (publishing: () => void) => void
  /** Gives an event its place among those to be stored, and notifies no watcher. */
  readonly add: (payload: RunEvent.Payload | RunEvent.Inner) => RunEvent.RunEvent
}

export const make = Effect.fnUntraced(
  function*(options: Options) {
    const { component, first, isKept, lastWord, onPending, onShown, onStored, command } = options
    const { room = UnstoredRoom.ofNode } = options
    const clock = yield* Clock.Clock
    const feed = EventFeed.make(first)
    const kept = room.ofRun()
    let unstored: Array<RunEvent.RunEvent> = []
    /** Of the unstored events. */
    let sizes: Array<number> = []
    /** Those before it were given to the store. If its reply is lost, they are stored again as they were. */
    let fixed = first
    /** Of the last event. */
    let published = {}
    let next = first
    let isHeld = false
    /** Words can follow it before they are stored. */
    let isStoredWord = false
    const startedAt = Monotonic.millisOf(clock)
    let [pendingSince, isFirst] = [startedAt, true]

    const shown = (last: number) => {
      const time = Monotonic.millisOf(clock)
      // the event of the start is stored with the run
      const isAnswer = last > 0 && isFirst
      if (isAnswer) isFirst = false
      if (last > 0) onShown?.((time - pendingSince) / 1000, isAnswer ? (time - startedAt) / 1000 : undefined)
      pendingSince = time
    }

    const own = { ...component.tags, run_id: command.run_id, session_id: command.session_id, nested_depth: 0 }

    const keep = (event: RunEvent.RunEvent) => {
      unstored.push(event)
      const size = sizeOf(event)
      sizes.push(size)
      kept.keep(size)
    }

    /** Shows a word that continues the shown ones. Returns whether all of the run is shown. */
    const showEarly = (event: RunEvent.RunEvent, isContinued: boolean): boolean => {
      if (!isStoredWord || event.event_index !== feed.next() || unstored.length > ShownWords.maxAhead) return false
      if (!isContinued || !ShownWords.isWord(event)) return false
      feed.push([event])
      return true
    }

    for (const blank of ShownWords.blanksAfter(lastWord)) {
      keep(blank)
      next++
    }

    const add = (payload: RunEvent.Payload | RunEvent.Inner): RunEvent.RunEvent => {
      const time = clock.currentTimeMillisUnsafe()
      // the component's own events, or events of a nested run, which have the ids of that run
      const last = unstored.at(-1)
      const waiting = next - feed.next()
      const isLate = waiting >= maxWaiting && Monotonic.millisOf(clock) - pendingSince >= joinAfter
      if (isLate && last !== undefined && last.event_index >= fixed) {
        const field = JoinedText.continued(published, payload)
        if (field !== undefined && JoinedText.add(last, payload, field)) {
          const size = sizeOf(last)
          kept.keep(size - (sizes.at(-1) ?? 0))
          sizes[sizes.length - 1] = size
          return last
        }
      }
      const event = {
        created_at: Time.fromMillis(time),
        ...payload,
        ...("run_id" in payload ? {} : own),
        event_index: next++
      } as RunEvent.RunEvent
      if (isKept) {
        if (waiting === 0) pendingSince = Monotonic.millisOf(clock)
        keep(event)
        published = payload
      }
      return event
    }

    const events: RunEvents = {
      isKept,
      first,
      feed: {
        ...feed,
        end: (state) => {
          kept.end()
          feed.end(state)
        }
      },
      begin: kept.begin,
      isFull: kept.isFull,
      hasRoom: kept.hasRoom,
      unstored: () => {
        fixed = next
        return unstored.map(RunEvent.toStored)
      },
      stored: (events) => {
        onStored()
        const last = events.at(-1)
        if (last === undefined || !isKept) return
        const fresh = unstored.findIndex(({ event_index }) => event_index > last.event_index)
        const count = fresh === -1 ? unstored.length : fresh
        if (count === 0) return
        const shownBefore = feed.next()
        feed.push(unstored.slice(0, count))
        unstored = unstored.slice(count)
        kept.keep(-sizes.slice(0, count).reduce((sum, size) => sum + size, 0))
        sizes = sizes.slice(count)
        isStoredWord = ShownWords.isWord(last)
        if (shownBefore <= last.event_index) shown(last.event_index)
      },
      add,
      // There is no watcher and nothing is kept: an event would only be thrown away.
      publish: (payload) => {
        if (!isKept) return
        const isContinued = isStoredWord && JoinedText.continued(published, payload) !== undefined
        const event = add(payload)
        if (!isHeld) onPending(showEarly(event, isContinued) && unstored.length < ShownWords.storedSoon)
      },
      hold: (publishing) => {
        isHeld = true
        publishing()
        isHeld = false
      }
    }
    return events
  }
)
