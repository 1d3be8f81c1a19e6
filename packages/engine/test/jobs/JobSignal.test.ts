// Jobs that runs store are executed at once: the worker of these tests never polls.
import { describe, it } from "@effect/vitest"
import { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import * as ComponentModules from "@svc-runtime/agents/modules/ComponentModules"
import { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Agent from "@svc-runtime/features/Agent"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as AgentParts from "@svc-runtime/test-support/AgentParts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import * as absent from "../../../agents/test/absent.ts"
import { commandOf } from "../../../agents/test/agent/Harness.ts"
import type * as Job from "../../src/jobs/Job.ts"
import * as JobKind from "../../src/jobs/JobKind.ts"
import * as Jobs from "../../src/jobs/Jobs.ts"
import { JobStore } from "../../src/jobs/JobStore.ts"
import * as JobWorker from "../../src/jobs/JobWorker.ts"
import { RunEngine } from "../../src/run/engine/RunEngine.ts"
import * as Signals from "../../src/signals/Signals.ts"
import * as Tool from "../../src/tool/Tool.ts"

const contextOf = (kind: JobKind.JobKind<never>) => {
  const worker = {
    kinds: Effect.succeed([kind]),
    drainTimeout: 0,
    pollInterval: "1 hour",
    planInterval: "1 hour"
  } as const
  const layer = JobWorker.layer(worker).pipe(
    Layer.provideMerge(RunEngine.layer({ node: "node", drainTimeout: 0 })),
    Layer.provide(Layer.provide(ComponentModules.runners, AgentParts.layer)),
    Layer.provideMerge(Signals.layer),
    Layer.provide(WorkflowRegistry.layer([])),
    Layer.provide([AgentRegistry.layer([]), TeamRegistry.layer([]), FactoryResolver.layer({ timeout: "1 second" })]),
    Layer.provide(ModelCatalog.layer({})),
    Layer.provideMerge(InMemory.layer),
    Layer.provide(absent.layer)
  )
  return Layer.build(layer)
}

const open = (kind: JobKind.JobKind<never>) => Effect.map(contextOf(kind), Context.get(RunEngine))

const nothing = Schema.Struct({})

/** A kind whose next job fulfils the deferred. */
const awaited = (name: string, executed: Deferred.Deferred<void>) =>
  JobKind.make({ name, payload: Schema.Json, handle: () => Deferred.succeed(executed, undefined) })

describe("jobs of runs", () => {
  it.live("a job that is stored with the end of a run is executed without a poll", () =>
    Effect.gen(function*() {
      const executed = yield* Deferred.make<void>()
      const engine = yield* open(awaited("memory-extraction", executed))
      const { model } = yield* Script.make([[Script.text("Noted.")]])
      const agent = Agent.make({ id: "agent", model, memory: true })
      yield* engine.start(commandOf(agent, { user_id: Ids.UserId.make("ann") }))
      yield* Deferred.await(executed)
    }))

  it.live("a job that is cancelled elsewhere in the process is interrupted without a poll", () =>
    Effect.gen(function*() {
      const [begun, ended] = [yield* Deferred.make<Job.Id>(), yield* Deferred.make<void>()]
      const kind = JobKind.make({
        name: "later",
        payload: nothing,
        handle: (_, { job }) =>
          Effect.andThen(Deferred.succeed(begun, job.id), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          )
      })
      const context = yield* contextOf(kind)
      yield* Context.get(context, Jobs.Jobs).enqueue(kind, {})
      yield* Context.get(context, JobStore).cancel(yield* Deferred.await(begun), Owner.anyone)
      Context.get(context, Signals.JobCancelSignal).notify()
      yield* Deferred.await(ended)
    }))

  it.live("a job that a tool enqueues is executed without a poll", () =>
    Effect.gen(function*() {
      const executed = yield* Deferred.make<void>()
      const kind = JobKind.make({
        name: "later",
        payload: nothing,
        handle: () => Deferred.succeed(executed, undefined)
      })
      const engine = yield* open(kind)
      const enqueueing = Tool.make({
        name: "enqueue",
        parameters: nothing,
        execute: (_, { enqueue }) => enqueue(kind, {}).then(({ isNew }) => ({ isNew }))
      })
      const { model } = yield* Script.make([
        [Script.toolCall("enqueue", {}, "1")],
        [Script.wait(Deferred.await(executed)), Script.text("Done.")]
      ])
      const agent = Agent.make({ id: "agent", model, tools: [enqueueing] })
      yield* engine.start(commandOf(agent))
      yield* Deferred.await(executed)
    }))
})
