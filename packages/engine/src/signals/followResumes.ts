// Does something for each run that is resumed by this process, until the database has replied.
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Latch, type Scope } from "effect"
import * as BackgroundLoops from "../node/BackgroundLoops.ts"
import type { Listeners } from "./Listeners.ts"

/** Resumed runs that are looked at next. Those above this number wait for what looks at them by itself. */
const maxResumed = 10_000

/** `name` is that of the loop. */
export const followResumes = Effect.fnUntraced(function*(
  name: string,
  resumes: Pick<Listeners<Run.Id>, "follow">,
  task: (run: Run.Id) => Effect.Effect<void, StorageUnavailable>
): Effect.fn.Return<void, never, Scope.Scope> {
  const resumed = new Set<Run.Id>()
  const isResumed = Latch.makeUnsafe(false)
  resumes.follow((run) => {
    if (resumed.size < maxResumed) resumed.add(run)
    isResumed.openUnsafe()
  })
  // it can resume once more meanwhile
  const once = (run: Run.Id) =>
    Effect.suspend(() => {
      resumed.delete(run)
      return Effect.tapError(task(run), () => Effect.sync(() => resumed.add(run)))
    })
  const all = Effect.suspend(() => {
    isResumed.closeUnsafe()
    return Effect.forEach([...resumed], once, { discard: true })
  })
  /** Runs that could not be looked up wait for the database. */
  const when = Effect.suspend(() =>
    resumed.size === 0 ? isResumed.await : Effect.raceFirst(isResumed.await, Effect.sleep("1 second"))
  )
  yield* BackgroundLoops.fork({}, { [name]: { when, task: all, every: "10 millis" } })
})
