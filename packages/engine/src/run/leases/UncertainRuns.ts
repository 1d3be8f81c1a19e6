// The runs that this node may hold without knowing, because the reply of a statement was lost. The database may still
// execute such a statement when the node looks for its run. So it looks again for a run that it has not found, after
// growing pauses, until no statement can be in progress any more.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Run from "@svc-runtime/domain/Run"
import { Effect, Latch } from "effect"

/** More than the time for which a statement may wait (`DatabaseClock`), and the time that the server gives it. */
const inProgressMillis = 90_000

/** Between two looks for a run that was not found. */
const pauses = { least: 1000, most: 8000 }

/** How many runs are kept by their ids before the first look, and how many after it. */
const maxUnseen = 10_000
const maxDoubts = 100_000

/** How many refused starts are kept of a run. The older ones have ended, unless their caller waits for none of them. */
const maxRefused = 100

/** Milliseconds. */
interface Doubt {
  /** When the first look had not found it. */
  readonly since?: number
  readonly nextLook: number
  /** The `begin_id` of each start whose caller got the error that it is not accepted. */
  readonly refused: ReadonlyArray<string>
}

export const make = () => {
  /** By the ids of the runs. Undefined: there may be runs whose ids are unknown. Those looked for last come last. */
  const doubts = new Map<Run.Id | undefined, Doubt>()
  /** Those before their first look. */
  const unseen = new Set<Run.Id | undefined>()
  /** Opened with each run that becomes uncertain. */
  const isNews = Latch.makeUnsafe(false)
  /** What the current look is for. */
  let looking = new Set<Run.Id | undefined>()

  const refusedOf = (run: Run.Id | undefined): ReadonlyArray<string> => doubts.get(run)?.refused ?? []

  const isFull = () => unseen.size >= maxUnseen

  const add = (run: Run.Id | undefined, refused: ReadonlyArray<string>): void => {
    doubts.set(run, { nextLook: 0, refused })
    unseen.add(run)
    looking.delete(run)
    isNews.openUnsafe()
  }

  /** What to look for now: all runs of this node that it does not know, if there are no ids. */
  const due = Effect.map(Monotonic.millis, (time): { readonly runs: ReadonlySet<Run.Id> | undefined } => {
    const runs = new Set<Run.Id>()
    for (const [run, { nextLook }] of doubts) {
      if (nextLook > time) continue
      if (run === undefined) return { runs: undefined }
      runs.add(run)
    }
    return { runs: runs.size > maxUnseen ? undefined : runs }
  })

  const notFound = (run: Run.Id | undefined, time: number): void => {
    const doubt = doubts.get(run)
    unseen.delete(run)
    doubts.delete(run)
    const since = doubt?.since ?? time
    if (doubt === undefined || time - since >= inProgressMillis) return
    const pause = Math.min(pauses.most, Math.max(pauses.least, time - since))
    doubts.set(run, { ...doubt, since, nextLook: time + pause })
  }

  const keepNewest = () => {
    for (const oldest of doubts.keys()) {
      if (doubts.size <= maxDoubts) return
      if (oldest !== undefined && !unseen.has(oldest)) doubts.delete(oldest)
    }
  }

  return {
    mark: (run?: Run.Id): void => isFull() && !unseen.has(run) ? add(undefined, []) : add(run, refusedOf(run)),
    isFull,
    /** Whether it was stored by a start whose caller got the error that it is not accepted. */
    isRefused: (run: Run.Id, begin_id: string | null): boolean =>
      begin_id !== null && refusedOf(run).includes(begin_id),
    refuse: (run: Run.Id, begin_id: string): void => add(run, [...refusedOf(run), begin_id].slice(-maxRefused)),
    /** It is stored, and was executed: it is not ended, although it may have been refused. */
    accepted: (run: Run.Id): void => {
      const doubt = doubts.get(run)
      if (doubt !== undefined) doubts.set(run, { ...doubt, refused: [] })
    },
    /** The reply about the run has come, and this node executes it. */
    forget: (run: Run.Id): void => {
      doubts.delete(run)
      unseen.delete(run)
    },
    due,
    /** Returns when it is time for a look. */
    awaitLook: Effect.gen(function*() {
      if (unseen.size === 0) {
        let next = Infinity
        for (const { nextLook } of doubts.values()) next = Math.min(next, nextLook)
        const pause = Math.max(0, next - (yield* Monotonic.millis))
        yield* Effect.raceFirst(isNews.await, next === Infinity ? Effect.never : Effect.sleep(pause))
      }
      isNews.closeUnsafe()
      looking = new Set((yield* due).runs ?? doubts.keys())
    }),
    /** Called when the look has found all that is stored. */
    looked: Effect.map(Monotonic.millis, (time) => {
      for (const run of looking) notFound(run, time)
      keepNewest()
      looking = new Set()
    })
  }
}
