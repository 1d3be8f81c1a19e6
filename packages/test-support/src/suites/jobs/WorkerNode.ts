// A node that executes jobs over stores that other nodes of a test share.
import { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import * as StoredComponents from "@svc-runtime/agents/component/StoredComponents"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import * as ComponentModules from "@svc-runtime/agents/modules/ComponentModules"
import { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Jobs } from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as JobWorker from "@svc-runtime/engine/jobs/JobWorker"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as JoinFailed from "@svc-runtime/engine/run/engine/JoinFailed"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as Signals from "@svc-runtime/engine/signals/Signals"
import * as TextVectors from "@svc-runtime/features/memory/TextVectors"
import { Context, type Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import * as AgentParts from "../../AgentParts.ts"

export interface Options {
  readonly kinds: ReadonlyArray<JobKind.JobKind<never>>
  readonly node?: string
  /** Seconds. */
  readonly nodeTimeout?: number
  readonly drainTimeout?: Duration.Input
  readonly planInterval?: Duration.Input
  readonly interruptionTimeout?: Duration.Input
  /** What stands between the worker and its store. */
  readonly around?: (store: JobStore["Service"]) => JobStore["Service"]
}

export const open = Effect.fnUntraced(function*(options: Options) {
  const { around = (store) => store, drainTimeout = 0, kinds, node = "node", nodeTimeout = 8 } = options
  const { interruptionTimeout, planInterval } = options
  const stores = yield* Effect.context<StoreServices>()
  const store = JobStore.of(around(Context.get(stores, JobStore)))
  const timings = { drainTimeout, interruptionTimeout, planInterval, pollInterval: "50 millis" } as const
  const worker = { kinds: Effect.succeed(kinds), ...timings }
  const layer = JobWorker.layer(worker).pipe(
    Layer.provide(RunEngine.layer({ node, nodeTimeout, drainTimeout: 0 })),
    Layer.provide(Layer.provide(ComponentModules.runners, AgentParts.layer)),
    Layer.provide(WorkflowRegistry.layer([])),
    Layer.provide([AgentRegistry.layer([]), TeamRegistry.layer([]), FactoryResolver.layer({ timeout: "1 second" })]),
    Layer.provide(ModelCatalog.layer({})),
    Layer.provide([StoredComponents.layerNone, TextVectors.layerNone, JoinFailed.layerNone, Notifications.layerNone]),
    Layer.provide(Signals.layerNone),
    Layer.provide(Layer.succeedContext(Context.add(stores, JobStore, store)))
  )
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(layer, scope)
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  return { jobs: Context.get(context, Jobs), close: Scope.close(scope, Exit.void) }
})

/** Waits until a job fits, and gives it. */
export const until = (id: Job.Id, isWanted: (job: Job.Job) => boolean) =>
  JobStore.use((store) => store.find(id, Owner.anyone)).pipe(
    Effect.tap(() => Effect.sleep("10 millis")),
    Effect.repeat({ until: (found) => Option.exists(found, isWanted) }),
    Effect.map(Option.getOrThrow)
  )

export const untilStatus = (id: Job.Id, status: Job.Status) => until(id, (job) => job.status === status)
