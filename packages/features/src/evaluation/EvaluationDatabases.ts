// Where the runs of evaluations are executed: in the database of their component, which can be another one than that
// of the evaluation.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as AwaitedEnds from "@svc-runtime/engine/node/AwaitedEnds"
import * as OpenDatabases from "@svc-runtime/engine/OpenDatabases"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { JobCancelSignal, JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Context, Effect, Layer } from "effect"
import type * as EvalRun from "./EvalRun.ts"

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
}>()("@svc-runtime/features/evaluation/EvaluationDatabases") {
  static readonly layer: Layer.Layer<EvaluationDatabases> = Layer.sync(EvaluationDatabases, () => {
    const opened = OpenDatabases.make<EvaluationDatabase>()
    return EvaluationDatabases.of({ opened, of: opened.get, ends: AwaitedEnds.make("evaluation") })
  })

  /** Adds a database while it is open. */
  static readonly layerDatabase = (
    id: Ids.DatabaseId
  ): Layer.Layer<never, never, EvaluationDatabases | JobCancelSignal | JobSignal | RunEngine> =>
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
