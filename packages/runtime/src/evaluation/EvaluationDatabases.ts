// Where the runs of evaluations are executed: in the database of their component, which can be another one than that
// of the evaluation.
import type * as EvalRun from "@svc/domain/EvalRun"
import type * as Ids from "@svc/domain/Ids"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Latch, Layer } from "effect"
import * as OpenDatabases from "../OpenDatabases.ts"
import { RunEngine } from "../run/engine/RunEngine.ts"
import { JobCancelSignal, JobSignal } from "../signals/JobSignal.ts"

interface EvaluationDatabase {
  readonly engine: RunEngine["Service"]
  /** A job was stored. */
  readonly signal: Effect.Effect<void>
  /** A job was cancelled. */
  readonly signalCancelled: Effect.Effect<void>
}

export class EvaluationDatabases extends Context.Service<EvaluationDatabases, {
  readonly of: (id: Ids.DatabaseId) => Effect.Effect<EvaluationDatabase, StorageUnavailable>
  readonly opened: OpenDatabases.OpenDatabases<EvaluationDatabase>
  /** An attempt of an evaluation has ended in this process, or the evaluation was cancelled. */
  readonly ended: (id: EvalRun.Id) => void
  /** `ended` waits for the next call of `ended` with this id. */
  readonly awaiting: <A, E, R>(
    id: EvalRun.Id,
    use: (ended: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}>()("@svc/runtime/evaluation/EvaluationDatabases") {
  static readonly layer: Layer.Layer<EvaluationDatabases> = Layer.sync(EvaluationDatabases, () => {
    const opened = OpenDatabases.make<EvaluationDatabase>()
    const awaited = new Map<EvalRun.Id, Latch.Latch>()
    return EvaluationDatabases.of({
      opened,
      of: opened.get,
      ended: (id) => awaited.get(id)?.openUnsafe(),
      // one request waits for an evaluation: the one that made it
      awaiting: (id, use) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const latch = Latch.makeUnsafe(false)
            awaited.set(id, latch)
            return latch
          }),
          // closed again, because an attempt that failed is repeated later
          (latch) => use(Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))),
          () => Effect.sync(() => awaited.delete(id))
        )
    })
  })

  /** Adds a database while it is open. */
  static readonly layerDatabase = (
    id: Ids.DatabaseId
  ): Layer.Layer<never, never, EvaluationDatabases | RunEngine> =>
    Layer.effectDiscard(
      Effect.gen(function*() {
        const { opened } = yield* EvaluationDatabases
        const jobs = yield* JobSignal
        const cancelled = yield* JobCancelSignal
        yield* opened.add(id, {
          engine: yield* RunEngine,
          signal: Effect.sync(jobs.notify),
          signalCancelled: Effect.sync(cancelled.notify)
        })
      })
    )
}
