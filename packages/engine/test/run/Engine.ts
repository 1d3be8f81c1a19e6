// An engine over stores in memory, in a scope of its own, and commands for it.
import type { AgentFactory } from "@svc-runtime/agents/agent/define/AgentFactory"
import { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import type { AgentCommand } from "@svc-runtime/agents/agent/execute/AgentCommand"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import * as ComponentModules from "@svc-runtime/agents/modules/ComponentModules"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as Team from "@svc-runtime/agents/team/Team"
import type { TeamFactory } from "@svc-runtime/agents/team/TeamFactory"
import { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import type { WorkflowFactory } from "@svc-runtime/agents/workflow/WorkflowFactory"
import { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as Agent from "@svc-runtime/features/Agent"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as AgentParts from "@svc-runtime/test-support/AgentParts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, type Duration, Effect, Exit, Layer, Scope, Stream } from "effect"
import * as absent from "../../../agents/test/absent.ts"
import { commandOf } from "../../../agents/test/agent/Harness.ts"
import { ApprovalStore } from "../../src/approval/ApprovalStore.ts"
import type { StoreServices } from "../../src/database/Stores.ts"
import * as StoreLimits from "../../src/limits/StoreLimits.ts"
import { type Channel, Notifications } from "../../src/node/Notifications.ts"
import { RunEngine, type RunEngineOptions } from "../../src/run/engine/RunEngine.ts"
import type { RunHandle } from "../../src/run/RunHandle.ts"
import { RunStore } from "../../src/run/store/RunStore.ts"
import { StoredRuns } from "../../src/run/store/StoredRuns.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"

export interface Options {
  /** What stands between the engine and its store. */
  readonly around?: (store: RunStore["Service"]) => RunStore["Service"]
  readonly drainTimeout?: Duration.Input
  /** The time between two statements with events. None, when left out. */
  readonly eventInterval?: Duration.Input
  /** The channel between the nodes. None, when left out. */
  readonly notifications?: Channel | undefined
  readonly node?: string
  readonly nodeTimeout?: number
  readonly limits?: RunEngineOptions["limits"]
  readonly admission?: RunEngineOptions["admission"]
  /** The components whose runs can be resumed. */
  readonly agents?: ReadonlyArray<Agent.Agent | AgentFactory>
  readonly workflows?: ReadonlyArray<AnyWorkflow | WorkflowFactory>
  readonly teams?: ReadonlyArray<Team.Team | TeamFactory>
  /** Of an engine that is no more: what it kept is there. */
  readonly memory?: Context.Context<StoreServices>
}

export const session = Session.Id.make("session")

export const open = Effect.fnUntraced(
  function*(options: Options = {}) {
    const { agents = [], teams = [], workflows = [], around = (store) => store, memory: kept, node = "node" } = options
    const { drainTimeout = "10 seconds", eventInterval = 0 } = options
    const memory = kept ?? (yield* Layer.build(InMemory.layer))
    const guarded = RunStore.ports.pipe(
      Layer.provideMerge(Layer.effect(RunStore, RunStore.useSync((store) => RunStore.of(around(store))))),
      Layer.provideMerge(Layer.succeedContext(memory))
    )
    const layer = RunService.layer({ factoryInputBytes: 1000, jsonValues: 1000 }).pipe(
      Layer.provide([Layer.fresh(InMemory.IdempotencyStore), StoredRuns.layer, StoreLimits.layerWith()]),
      Layer.provideMerge(RunEngine.layer({
        node,
        nodeTimeout: options.nodeTimeout,
        limits: options.limits,
        admission: options.admission,
        drainTimeout,
        eventInterval
      })),
      Layer.provide(Layer.provide(ComponentModules.runners, AgentParts.layer)),
      Layer.provide(WorkflowRegistry.layer(workflows)),
      Layer.provide([
        AgentRegistry.layer(agents),
        TeamRegistry.layer(teams),
        FactoryResolver.layer({ timeout: "30 seconds" })
      ]),
      Layer.provideMerge(ModelCatalog.layer({})),
      Layer.provideMerge(guarded),
      Layer.provide(Layer.succeed(Notifications, options.notifications)),
      Layer.provide(absent.layer)
    )
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const runs = Context.get(context, RunStore)
    return {
      memory: Context.add(memory, RunStore, runs),
      engine: Context.get(context, RunEngine),
      service: Context.get(context, RunService),
      runs,
      approvals: Context.get(context, ApprovalStore),
      sessions: Context.get(context, SessionStore),
      find: (id: string = "run", of: Session.Id = session) =>
        Effect.flatMap(runs.find(of, Run.Id.make(id), { owner: Owner.anyone }), Effect.fromOption),
      close: Scope.close(scope, Exit.void)
    }
  }
)

/** A command to an agent with a script. */
export const scripted = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Agent.Options> = {},
  given: Partial<AgentCommand> = {}
) {
  const script = yield* Script.make(turns)
  const agent = Agent.make({ id: "agent", model: script.model, ...options })
  return { agent, script, command: (more: Partial<AgentCommand> = {}) => commandOf(agent, { ...given, ...more }) }
})

export const eventsOf = (handle: RunHandle) => Stream.runCollect(handle.events)

export const kindsOf = (events: ReadonlyArray<RunEvent.RunEvent>) => events.map(({ event }) => event)
