// The calls for which the run of an approval waits, and the agent that makes them: as they are for a request that
// continues the run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { isLeft } from "@svc-runtime/engine/run/engine/Guest"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import { Cause, Effect, Option, type Scope } from "effect"
import { FactoryResolver } from "../factory/FactoryResolver.ts"
import * as ApprovedRun from "./ApprovedRun.ts"
import * as Components from "./Components.ts"
import * as DecidingRuns from "./DecidingRuns.ts"

/** Undefined: no paused run says so. The agent can be used while the scope is open: a factory can have made it. */
export type PendingCalls = (
  approval: Pick<Approval.Approval, "run_id" | "session_id">
) => Effect.Effect<DecidingRuns.Pending | undefined, StorageUnavailable, Scope.Scope>

const filter = { owner: Owner.anyone }

const holds = (run_id: string) => (run: AnyRun.Output) => AnyRun.allIn(run).some((each) => each.run_id === run_id)

export const make = Effect.gen(function*() {
  const runs = yield* StoredRuns
  const { guest } = yield* RunEngine
  const services = { components: yield* Components.current, resolver: yield* FactoryResolver }

  const componentOf = (run: Parameters<typeof ApprovedRun.resolve>[1]) =>
    ApprovedRun.resolve(services, run).pipe(
      Effect.map(({ component }) => Components.isComponent(component) ? component : undefined),
      // a service need not have the components of other programs
      Effect.catchTag(
        "ComponentNotFound",
        () => Effect.succeed(isLeft(run.node, guest) ? undefined : DecidingRuns.gone)
      ),
      // it is made again when the run is resumed, which tells why it cannot be made
      Effect.catchCause((cause) => Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.succeed(undefined))
    )

  const pendingCalls: PendingCalls = Effect.fnUntraced(function*({ run_id, session_id }) {
    const paused = yield* runs.list(session_id, { ...filter, status: "PAUSED" }).pipe(
      // what cannot be known here is seen when the run makes the call
      Effect.catchTag("ResponseTooLarge", () => Effect.succeedNone)
    )
    const around = Option.getOrElse(paused, () => []).filter(holds(run_id))
    // runs inside of another one are listed, too, and have no journal of their own
    const outer = around.find((each) => around.every((other) => other === each || !holds(each.run_id)(other)))
    if (outer === undefined) return undefined
    const run = Option.getOrUndefined(yield* runs.snapshot(session_id, outer.run_id, filter))
    if (run === undefined || run.damage !== undefined) return undefined
    const { registered } = services.components
    return yield* DecidingRuns.pendingOf({ component: yield* componentOf(run), registered, run }, run_id)
  })
  return pendingCalls
})
