// Accepts runs and sees them through. A run belongs to the engine, not to the request that started it: a client that
// goes away changes nothing. An engine that is closed waits for its runs as long as it is given, then interrupts them.
import type { Json, RunEvent } from "@svc/domain"
import { Run } from "@svc/domain"
import { Cause, Context, Deferred, type Duration, Effect, FiberSet, Layer, Queue, Stream } from "effect"
import * as AgentRunner from "../agent/AgentRunner.ts"
import type { RunCommand } from "../agent/RunCommand.ts"
import { Databases } from "../Databases.ts"
import { ModelCatalog, type ModelRef } from "../model/ModelCatalog.ts"
import * as UnusableModel from "../model/UnusableModel.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import type { StorageUnavailable } from "../StorageUnavailable.ts"
import type { RunExists } from "./RunErrors.ts"
import * as RunEvents from "./RunEvents.ts"

export interface RunHandle {
  /** From the first event to the last one, which comes after the run is stored. For one reader. Empty unless streamed. */
  readonly events: Stream.Stream<RunEvent.RunEvent, StorageUnavailable>
  /** As it is stored. */
  readonly output: Effect.Effect<Run.Output, StorageUnavailable>
}

export interface RunEngineOptions {
  /** Names this process among those that share a database; the same again after a restart. */
  readonly node: string
  /** How long runs may go on when the engine is closed. */
  readonly drainTimeout: Duration.Input
}

export class RunEngine extends Context.Service<RunEngine, {
  /** Returns when the run is stored as accepted; it is refused before that, or not at all. */
  readonly start: (
    command: RunCommand
  ) => Effect.Effect<RunHandle, SessionNotFound | RunExists | StorageUnavailable>
}>()("@svc/runtime/run/RunEngine") {
  static readonly layerInProcess = (options: RunEngineOptions): Layer.Layer<RunEngine, never, Databases | ModelCatalog> =>
    Layer.effect(RunEngine, make(options))
}

const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
  const databases = yield* Databases
  const models = yield* ModelCatalog
  const fibers = yield* drained(options.drainTimeout)
  const runFork = yield* FiberSet.runtime(fibers)<never>()
  const { runs } = databases.all[0]

  const modelOf = (ref: ModelRef) =>
    Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

  const resolve = Effect.fnUntraced(function*({ agent }: RunCommand) {
    const resolved: AgentRunner.Models = {
      model: yield* modelOf(agent.model ?? models.defaultModel),
      reasoning: agent.reasoningModel === undefined ? undefined : yield* modelOf(agent.reasoningModel)
    }
    return resolved
  })

  const start = Effect.fnUntraced(function*(command: RunCommand) {
    const resolved = yield* resolve(command)
    const begun = yield* runs.begin(beginningOf(command, resolved, options.node, yield* RunEvents.now))
    const done = yield* Deferred.make<Run.Output, StorageUnavailable>()
    const queue = command.stream ? yield* Queue.unbounded<RunEvent.RunEvent, StorageUnavailable | Cause.Done>() : undefined
    const events = yield* RunEvents.make(command, queue)
    const execute = AgentRunner.run(command, resolved, begun, events.publish).pipe(
      Effect.flatMap((ended) => {
        const last = events.number(ended.last)
        return runs.finish({
          run: ended.output,
          events: queue === undefined ? null : [...events.all, last],
          session_state: ended.sessionState,
          usage: ended.output.metrics ?? {},
          updated_at: last.created_at
        }).pipe(Effect.tap(() => Effect.sync(() => events.offer(last))), Effect.as(ended.output))
      }),
      Effect.onExit((exit) => Effect.andThen(Deferred.done(done, exit), events.end(exit)))
    )
    runFork(execute)
    const handle: RunHandle = {
      events: queue === undefined ? Stream.empty : Stream.fromQueue(queue),
      output: Deferred.await(done)
    }
    return handle
  })

  return RunEngine.of({ start })
})

/** A set of fibers that are given time to end before they are interrupted. */
const drained = Effect.fnUntraced(function*(timeout: Duration.Input) {
  const fibers = yield* FiberSet.make<unknown, unknown>()
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      const running = yield* FiberSet.size(fibers)
      if (running === 0) return
      yield* Effect.logInfo(`Waiting for ${running} running run(s) to finish`)
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(fibers), timeout)
    })
  )
  return fibers
})

const beginningOf = (command: RunCommand, { model }: AgentRunner.Models, node: string, now: number) => ({
  run_id: command.run_id,
  session_id: command.session_id,
  kind: "agent" as const,
  component_id: command.agent.id,
  user_id: command.user_id ?? null,
  node,
  created_at: now,
  input: command.input,
  derived_name: Run.inputText(command.input).slice(0, 500),
  component_data: {
    name: command.agent.name,
    agent_id: command.agent.id,
    model: { name: model.name, provider: model.provider, id: model.id }
  } satisfies Json.Object,
  component_metadata: command.agent.metadata ?? null,
  history: (command.addHistoryToContext ?? command.agent.addHistoryToContext) ? command.agent.numHistoryRuns : 0
})
