// Runs that are executed on other nodes and watched on this one. One statement reads the new events of all of them,
// once per run for all its watchers. A signal announces new events; without signals, all of these runs are polled.
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Duration, Effect, Latch } from "effect"
import type { Loop } from "../../node/BackgroundLoops.ts"
import type { RunLog } from "../store/RunLog.ts"
import type { PolledEvents } from "../store/RunReads.ts"
import * as EventFeed from "./EventFeed.ts"

export interface Options {
  readonly log: RunLog["Service"]
  /** The interval of polling for runs without a signal. */
  readonly pollInterval: Duration.Input
  /** The least time between two statements. */
  readonly interval: Duration.Input
  /** Registers a function for signals about a run. The returned function ends the registration. */
  readonly onFollow: (run: Run.Id, signal: () => void) => () => void
  /** Whether no event follows. */
  readonly isOver: (status: Run.Status) => boolean
}

export interface Followed {
  readonly feed: EventFeed.EventFeed
  readonly release: () => void
}

export interface RunFollower {
  /**
   * The events of a run that are stored behind the first `stored` ones. A watcher that is further ahead, or behind,
   * does not change what the others get. The caller may see the run, and releases it once.
   */
  readonly follow: (run: Run.Id, stored: number) => Followed
  /** There may be something new. */
  readonly signal: (run: Run.Id) => void
  readonly wake: () => void
  readonly loops: Readonly<Record<"readSignalled" | "pollFollowed", Loop>>
}

interface Entry {
  readonly feed: EventFeed.EventFeed
  readonly stop: () => void
  watchers: number
}

/** Runs of one statement. */
const maxRuns = 32

/** Events of one run in one statement. */
const page = 500

export const make = ({ interval, isOver, onFollow, pollInterval, log }: Options): RunFollower => {
  const entries = new Map<Run.Id, Entry>()
  const due = new Set<Run.Id>()
  const isDue = Latch.makeUnsafe(false)
  const isFollowing = Latch.makeUnsafe(false)

  const signal = (run: Run.Id) => {
    if (!entries.has(run)) return
    due.add(run)
    isDue.openUnsafe()
  }

  const remove = (run: Run.Id, entry: Entry) => {
    // another one may have taken its place
    if (entries.get(run) !== entry) return
    entry.stop()
    entry.feed.end("broken")
    entries.delete(run)
    if (entries.size === 0) isFollowing.closeUnsafe()
  }

  const distribute = (batch: ReadonlyArray<Run.Id>, found: ReadonlyArray<PolledEvents>) => {
    const byId = new Map(found.map((each) => [each.run_id, each]))
    for (const run of batch) {
      const entry = entries.get(run)
      if (entry === undefined) continue
      const { events, hasMore, status } = byId.get(run) ?? { events: [], hasMore: false, status: undefined }
      entry.feed.push(events)
      if (status === "unreadable") {
        // the watchers read the events and get the error
        entry.feed.end("broken")
        remove(run, entry)
      } else if (hasMore) signal(run)
      // a missing run was removed
      else if (status === undefined || isOver(status)) {
        entry.feed.end("complete")
        remove(run, entry)
      }
    }
  }

  const read: Effect.Effect<void, StorageUnavailable> = Effect.suspend(() => {
    isDue.closeUnsafe()
    const batch = [...due].slice(0, maxRuns)
    batch.forEach((run) => due.delete(run))
    if (due.size > 0) isDue.openUnsafe()
    const polled = batch.flatMap((run_id) => {
      const entry = entries.get(run_id)
      return entry === undefined ? [] : [{ run_id, after: entry.feed.next() - 1 }]
    })
    if (polled.length === 0) return Effect.void
    return Effect.map(
      log.pollEvents(polled, page),
      (found) => distribute(polled.map(({ run_id }) => run_id), found)
    )
  })

  return {
    follow: (run, stored) => {
      const entry = entries.get(run) ??
        { feed: EventFeed.make(stored), stop: onFollow(run, () => signal(run)), watchers: 0 }
      entries.set(run, entry)
      entry.watchers++
      isFollowing.openUnsafe()
      // events between the watcher's read and this one
      signal(run)
      return {
        feed: entry.feed,
        release: () => {
          if (--entry.watchers === 0) remove(run, entry)
        }
      }
    },
    signal,
    loops: {
      readSignalled: { when: isDue.await, task: read, every: interval },
      pollFollowed: {
        when: Effect.andThen(isFollowing.await, Effect.sleep(pollInterval)),
        task: Effect.sync(() => [...entries.keys()].forEach(signal)),
        every: 0
      }
    },
    wake: () => entries.forEach(({ feed }) => feed.wake())
  }
}
