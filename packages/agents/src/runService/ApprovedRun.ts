// Resumes one root run with the decisions of its approvals, and after the times that it has waited for. A run that also
// waits for something else stays paused: the request that continues it takes both into account.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { now } from "@svc-runtime/engine/now"
import * as Guest from "@svc-runtime/engine/run/engine/Guest"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Effect, Option } from "effect"
import type { AgentRegistry } from "../agent/define/AgentRegistry.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import { factoryRun, untrusted } from "../factory/FactoryContext.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import { FactoryResolver } from "../factory/FactoryResolver.ts"
import { modules } from "../modules/ComponentModules.ts"
import type { TeamRegistry } from "../team/TeamRegistry.ts"
import * as ChangedSteps from "../workflow/execute/ChangedSteps.ts"
import type { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as Components from "./Components.ts"

export interface Services {
  readonly components: Components.Components
  readonly resolver: FactoryResolver["Service"]
  readonly engine: RunEngine["Service"]
  readonly approvals: ApprovalStore["Service"]
  readonly runs: RunReading["Service"]
}

export const services: Effect.Effect<
  Services,
  never,
  | AgentRegistry
  | ApprovalStore
  | FactoryResolver
  | RunEngine
  | RunReading
  | StoredComponents
  | TeamRegistry
  | WorkflowRegistry
> = Effect.gen(function*() {
  return {
    approvals: yield* ApprovalStore,
    runs: yield* RunReading,
    engine: yield* RunEngine,
    components: yield* Components.current,
    resolver: yield* FactoryResolver
  }
})

/**
 * The component of the run. A factory builds it without a caller: the person who decided is not the user of the run.
 */
export const resolve = Effect.fnUntraced(function*(
  { components, resolver }: Pick<Services, "components" | "resolver">,
  run: RunSnapshot
) {
  const { component_versions, registered } = yield* components.ofRun(run)
  const resolved = yield* resolver.resolve(registered, {
    userId: run.user_id,
    sessionId: run.session_id,
    trusted: untrusted,
    request: null,
    metadata: RunContextOptions.stored(run),
    run: factoryRun(run),
    input: FactoryInput.ofRun(run)
  })
  return { ...resolved, component_versions }
})

/**
 * "later": the run is executed now and may pause again, so it has to be checked once more. "left": it belongs to a
 * program that is not this one.
 */
export const resume = Effect.fnUntraced(function*(services: Services, session: Session.Id, root: Run.Id) {
  const { approvals, engine, runs } = services
  const found = yield* runs.snapshot(session, root, { owner: Owner.anyone })
  if (Option.isNone(found)) return "done"
  const run = found.value
  if (run.status !== "PAUSED") return Run.isActive(run.status) ? "later" : "done"
  if (Guest.isLeft(run.node, engine.guest)) return "left"
  if (run.damage !== undefined) {
    yield* Effect.logError(`A paused run is not resumed: ${run.damage}`)
    return "done"
  }
  const at = yield* now
  const approvalsOf = (inside: Run.Id) => approvals.listByRun(inside, at)
  const entry = yield* modules[run.kind].continuation.approvedPlan(run, approvalsOf)
  if (Option.isNone(entry)) return "done"
  const resolved = yield* resolve(services, run)
  yield* ChangedSteps.check(resolved.component, run)
  const handle = yield* engine.continue({
    snapshot: run,
    entry: entry.value,
    stream: false,
    background: true,
    resolved
  })
  // another request resumed it, perhaps without this decision
  return Option.isSome(handle) ? "done" : "later"
}, Effect.scoped)
