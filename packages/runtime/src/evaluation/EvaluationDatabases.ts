// Where the runs of evaluations are executed: in the database of their component, which can be another one than that
// of the evaluation.
import type * as EvalRun from "@svc/domain/EvalRun"
import type * as Ids from "@svc/domain/Ids"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Layer } from "effect"
import * as AwaitedEnds from "../node/AwaitedEnds.ts"
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
  /** Of attempts in this process, and of evaluations that it cancels. */
  readonly ends: AwaitedEnds.AwaitedEnds<EvalRun.Id>
}>()("@svc/runtime/evaluation/EvaluationDatabases") {
  static readonly layer: Layer.Layer<EvaluationDatabases> = Layer.sync(EvaluationDatabases, () => {
    const opened = OpenDatabases.make<EvaluationDatabase>()
    return EvaluationDatabases.of({ opened, of: opened.get, ends: AwaitedEnds.make("evaluation") })
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
