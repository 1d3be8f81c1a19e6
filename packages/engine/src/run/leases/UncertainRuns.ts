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
const maxUncertain = 10_000
const maxDoubtful = 100_000

/** Not found so far. Milliseconds. */
interface Doubt {
  readonly since: number
  readonly nextLook: number
  readonly isRefused: boolean
}

const doubtful = (before: Doubt | undefined, isRefused: boolean, time: number): Doubt | undefined => {
  const since = before?.since ?? time
  if (time - since >= inProgressMillis) return undefined
  return { since, isRefused, nextLook: time + Math.min(pauses.most, Math.max(pauses.least, time - since)) }
}

export const make = () => {
  /** Runs whose callers got the error that they are not accepted, before the first look behind their statements. */
  const refused = new Set<Run.Id>()
  /** Those of them whose statements have not ended. */
  const unended = new Set<Run.Id>()
  /** Runs that are looked for at once. */
  const uncertain = new Set<Run.Id>()
  /** Whether there may be runs whose ids are unknown. */
  let isAnyUncertain = false
  const doubts = new Map<Run.Id, Doubt>()
  /** Of runs whose ids are unknown. */
  let anyDoubt: Doubt | undefined
  /** Opened with each run that becomes uncertain. */
  const isNews = Latch.makeUnsafe(false)
  /** What the current look is for. */
  let looking = { isForAll: false, runs: new Set<Run.Id>() }

  const isAny = () => isAnyUncertain || uncertain.size > 0

  const mark = (run?: Run.Id): void => {
    if (run === undefined || (uncertain.size >= maxUncertain && !uncertain.has(run))) {
      isAnyUncertain = true
      looking.isForAll = false
    } else {
      uncertain.add(run)
      looking.runs.delete(run)
    }
    isNews.openUnsafe()
  }

  const isDue = (doubt: Doubt | undefined, time: number) => doubt !== undefined && doubt.nextLook <= time

  const nextLook = (): number => {
    let next = anyDoubt?.nextLook ?? Infinity
    for (const doubt of doubts.values()) next = Math.min(next, doubt.nextLook)
    return next
  }

  /** What to look for now: all runs of this node that it does not know, if there are no ids. */
  const due = Effect.map(Monotonic.millis, (time): { readonly runs: ReadonlySet<Run.Id> | undefined } => {
    const runs = new Set(uncertain)
    for (const [run, doubt] of doubts) if (isDue(doubt, time)) runs.add(run)
    return { runs: isAnyUncertain || isDue(anyDoubt, time) || runs.size > maxUncertain ? undefined : runs }
  })

  const isRefused = (run: Run.Id): boolean => refused.has(run) || doubts.get(run)?.isRefused === true

  const doubt = (run: Run.Id, time: number) => {
    const next = doubtful(uncertain.has(run) ? undefined : doubts.get(run), isRefused(run), time)
    doubts.delete(run)
    if (next !== undefined) doubts.set(run, next)
  }

  const keepNewest = () => {
    for (const oldest of doubts.keys()) {
      if (doubts.size <= maxDoubtful) return
      doubts.delete(oldest)
    }
  }

  return {
    mark,
    isFull: () => refused.size >= maxUncertain,
    isRefused,
    refuse: (run: Run.Id, { hasEnded }: { readonly hasEnded: boolean }): void => {
      refused.add(run)
      if (hasEnded) unended.delete(run)
      else unended.add(run)
      mark(run)
    },
    /** The reply about the run has come, and this node executes it. */
    forget: (run: Run.Id): void => {
      for (const runs of [refused, unended, uncertain]) runs.delete(run)
      doubts.delete(run)
    },
    due,
    /** Returns when it is time for a look. */
    awaitLook: Effect.gen(function*() {
      if (!isAny()) {
        const next = nextLook()
        const time = yield* Monotonic.millis
        yield* Effect.raceFirst(isNews.await, next === Infinity ? Effect.never : Effect.sleep(Math.max(0, next - time)))
      }
      isNews.closeUnsafe()
      const { runs } = yield* due
      looking = { isForAll: runs === undefined, runs: new Set(runs ?? [...uncertain, ...doubts.keys()]) }
    }),
    /** Called when the look has found all that is stored. */
    looked: Effect.map(Monotonic.millis, (time) => {
      if (looking.isForAll && (isAnyUncertain || anyDoubt !== undefined)) {
        anyDoubt = doubtful(isAnyUncertain ? undefined : anyDoubt, false, time)
        isAnyUncertain = false
      }
      for (const run of looking.runs) {
        doubt(run, time)
        uncertain.delete(run)
        if (!unended.has(run)) refused.delete(run)
      }
      keepNewest()
      looking = { isForAll: false, runs: new Set() }
    })
  }
}
