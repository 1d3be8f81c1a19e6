// The runs that this process executes, or holds in a session queue, and whether it still waits for others.
import type * as Run from "@svc-runtime/domain/Run"
import { Context, Effect, Latch, Layer } from "effect"
import * as Cancellation from "./Cancellation.ts"
import type { Execution } from "./Execution.ts"

export class Executions extends Context.Service<Executions, {
  readonly executing: ReadonlyMap<Run.Id, Execution>
  readonly add: (execution: Execution) => void
  readonly remove: (execution: Execution) => void
  /** All of them are interrupted before the first one ends: its end could dequeue the next one. */
  readonly interrupt: (...runs: ReadonlyArray<Run.Id>) => void
  /** Waits until a run is executed. */
  readonly awaitBusy: Effect.Effect<void>
  /** The service stops: no caller waits for a run that another node executes. */
  isStopping: boolean
  /** The engine is closed: no caller waits for any run. */
  isClosing: boolean
}>()("@svc-runtime/engine/run/engine/Executions") {
  static readonly layer: Layer.Layer<Executions> = Layer.effect(
    Executions,
    Effect.gen(function*() {
      const executing = new Map<Run.Id, Execution>()
      /** Open while something is executed. */
      const isBusy = yield* Latch.make(false)
      const executions: Executions["Service"] = {
        executing,
        add: (execution) => {
          executing.set(execution.run_id, execution)
          isBusy.openUnsafe()
        },
        remove: (execution) => {
          // it may be executed again already
          if (executing.get(execution.run_id) === execution) executing.delete(execution.run_id)
          if (executing.size === 0) isBusy.closeUnsafe()
        },
        interrupt: (...runs) => {
          const found = runs.flatMap((run) => executing.get(run) ?? [])
            .filter(({ cancellation }) => cancellation.reason === undefined)
          for (const { cancellation, run_id } of found) cancellation.reason = Cancellation.reasonOf(run_id)
          for (const { fiber } of found) fiber?.interruptUnsafe()
        },
        awaitBusy: isBusy.await,
        isStopping: false,
        isClosing: false
      }
      return executions
    })
  )
}
