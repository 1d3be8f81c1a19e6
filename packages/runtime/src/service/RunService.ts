// The one way to act on runs, for every transport and for the service itself. Transports map their wire format to its
// requests, and its results and errors back.
import { Context, Effect, Layer } from "effect"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import { FactoryResolver } from "../factory/FactoryResolver.ts"
import type { IdempotencyKey, IdempotencyKeyReused } from "../idempotency/IdempotencyClaim.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { RunEngine } from "../run/RunEngine.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as RunStart from "./RunStart.ts"
import type { RepeatedRun, StartedRun, StartError, StartRequest } from "./StartRequest.ts"

export interface RunServiceOptions {
  /** How many bytes of text a factory's input may have. */
  readonly factoryInputBytes: number
}

export class RunService extends Context.Service<RunService, {
  /** Returns when the run is stored as accepted. */
  readonly start: (request: StartRequest) => Effect.Effect<StartedRun, StartError>
  /** Starts the run once: a repeated request with the same key gets the run that the first one started. */
  readonly startOnce: (
    request: StartRequest,
    key: IdempotencyKey
  ) => Effect.Effect<StartedRun | RepeatedRun, StartError | IdempotencyKeyReused>
}>()("@svc/runtime/service/RunService") {
  static readonly layer = (
    { factoryInputBytes }: RunServiceOptions
  ): Layer.Layer<
    RunService,
    never,
    AgentRegistry | FactoryResolver | IdempotencyStore | RunEngine | TeamRegistry | WorkflowRegistry
  > =>
    Layer.effect(
      RunService,
      Effect.gen(function*() {
        const { start, startOnce } = RunStart.make({
          agents: yield* AgentRegistry,
          teams: yield* TeamRegistry,
          workflows: yield* WorkflowRegistry,
          engine: yield* RunEngine,
          idempotency: yield* IdempotencyStore,
          resolution: { resolver: yield* FactoryResolver, largestInput: factoryInputBytes }
        })
        return RunService.of({ start, startOnce })
      })
    )
}
