// Whether a factory has made the agent of a call that waits for an approval. Its id does not say so: a factory can make
// agents with the ids of others. The stored run has the component that was started, and those inside of it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import { Effect, Option, Record } from "effect"
import { isFactory } from "../factory/Factory.ts"
import { registries } from "../modules/ComponentModules.ts"

/** The run, and those around it. */
const around = (runs: ReadonlyArray<AnyRun.Output>, run_id: Run.Id): ReadonlyArray<AnyRun.Output> =>
  runs.flatMap(AnyRun.allIn).filter((each) => AnyRun.allIn(each).some((inside) => inside.run_id === run_id))

export type MadeByFactory = (approval: Approval.Approval) => Effect.Effect<boolean, StorageUnavailable>

export const make = Effect.gen(function*() {
  const runs = yield* StoredRuns
  const factories = Record.map(
    yield* registries,
    ({ registered }) => new Set<string>(registered.filter(isFactory).map(({ id }) => id))
  )
  const hasFactories = Object.values(factories).some(({ size }) => size > 0)
  const isMade = (run: AnyRun.Output) => {
    const { id, kind } = AnyRun.componentOf(run)
    return factories[kind].has(id)
  }
  const madeByFactory: MadeByFactory = Effect.fnUntraced(function*(approval) {
    if (!hasFactories) return false
    const paused = yield* runs.list(approval.session_id, { owner: Owner.anyone, status: "PAUSED" }).pipe(
      // what cannot be known here is seen when the run makes the call
      Effect.catchTag("ResponseTooLarge", () => Effect.succeedNone)
    )
    const path = around(Option.getOrElse(paused, () => []), approval.run_id)
    return path.length === 0 || path.some(isMade)
  })
  return madeByFactory
})
