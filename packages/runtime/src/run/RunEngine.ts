// Accepts runs and sees them through. A run belongs to the engine, not to the request that started it: a client that
// goes away changes nothing. An engine that is closed waits for its runs as long as it is given, then interrupts them;
// those are stored as failed, with the words that a run gets whose node has vanished.
import type { Run, RunEvent, Session, StorageUnavailable } from "@svc/domain"
import {
  type Cause,
  Context,
  Deferred,
  type Duration,
  Effect,
  type Fiber,
  Latch,
  Layer,
  type Option,
  Queue,
  Stream
} from "effect"
import * as AgentRunner from "../agent/AgentRunner.ts"
import type { RunCommand } from "../agent/RunCommand.ts"
import type { Ended } from "../agent/RunEnd.ts"
import { Databases } from "../Databases.ts"
import { ModelCatalog, type ModelRef } from "../model/ModelCatalog.ts"
import * as UnusableModel from "../model/UnusableModel.ts"
import { now } from "../now.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import { beginningOf } from "./beginningOf.ts"
import * as Cancellation from "./Cancellation.ts"
import { forkDrained } from "./forkDrained.ts"
import type { RunExists } from "./RunErrors.ts"
import * as RunEvents from "./RunEvents.ts"
import type { RunFilter } from "./RunStore.ts"
import * as RunWatch from "./RunWatch.ts"

export interface RunHandle {
  /** From the first event to the last one, which comes after the run is stored. For one reader. Empty unless streamed. */
  readonly events: Stream.Stream<RunEvent.RunEvent, StorageUnavailable>
  /** As it is stored. */
  readonly output: Effect.Effect<Run.Output, StorageUnavailable>
}

export interface CancelRequest {
  readonly run_id: Run.Id
  /** Undefined where the run's id has to do. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
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
  /** A run as it is when it has ended, which is waited for. None when there is no such run that may be seen. */
  readonly output: (
    request: RunWatch.OutputRequest
  ) => Effect.Effect<Option.Option<Run.Output>, StorageUnavailable>
  /**
   * Ends a run that has not ended, wherever it is executed, and tells whether there is such a run. One that is not there
   * may still come: for those who may touch anybody's runs it is cancelled when it does.
   */
  readonly cancel: (request: CancelRequest) => Effect.Effect<boolean, StorageUnavailable>
  /** The events of a run, those that were and those that come. None when there is no such run that may be seen. */
  readonly watch: (
    request: RunWatch.WatchRequest
  ) => Effect.Effect<Option.Option<RunWatch.Watched>, StorageUnavailable>
}>()("@svc/runtime/run/RunEngine") {
  static readonly layerInProcess = (
    options: RunEngineOptions
  ): Layer.Layer<RunEngine, never, Databases | ModelCatalog> => Layer.effect(RunEngine, make(options))
}

/**
 * How often what has happened in running runs is stored, and whether others want them to end is looked at. Until it is
 * stored only this process knows of an event.
 */
const tendEvery = "250 millis"

interface Executing {
  readonly output: RunHandle["output"]
  readonly events: RunEvents.RunEvents
  readonly cancellation: Cancellation.Cancellation
  /** Undefined while it is being forked. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
  const databases = yield* Databases
  const models = yield* ModelCatalog
  const fork = yield* forkDrained(options.drainTimeout)
  const { runs } = databases.all[0]
  const executing = new Map<Run.Id, Executing>()
  const intents = Cancellation.makeIntents()
  /** Open while something is executed. */
  const isBusy = yield* Latch.make(false)

  const interrupt = (run: Run.Id) => {
    const found = executing.get(run)
    if (found === undefined || found.cancellation.reason !== undefined) return
    found.cancellation.reason = Cancellation.reasonOf(run)
    found.fiber?.interruptUnsafe()
  }

  const storeEvents = Effect.suspend(() => {
    const fresh = [...executing].flatMap(([run_id, { events }]) => {
      const unstored = events.unstored()
      return unstored.length === 0 ? [] : [{ run_id, events: unstored, source: events }]
    })
    if (fresh.length === 0) return Effect.void
    return Effect.andThen(
      runs.appendEvents(fresh),
      Effect.sync(() => fresh.forEach(({ events, source }) => source.stored(events.length)))
    )
  })

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const lookForCancels = Effect.map(runs.cancelRequested(options.node), (wanted) => wanted.forEach(interrupt))

  // Off the way of the runs themselves, and only while there are some. What a store does not take now it takes the next
  // time, at the latest with the run's end.
  yield* isBusy.await.pipe(
    Effect.andThen(Effect.sleep(tendEvery)),
    Effect.andThen(Effect.all([Effect.ignore(storeEvents), Effect.ignore(lookForCancels)], { discard: true })),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  const modelOf = (ref: ModelRef) =>
    Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

  const resolve = Effect.fnUntraced(function*({ agent }: RunCommand) {
    const resolved: AgentRunner.Models = {
      model: yield* modelOf(agent.model ?? models.defaultModel),
      reasoning: agent.reasoningModel === undefined ? undefined : yield* modelOf(agent.reasoningModel)
    }
    return resolved
  })

  const finish = (events: RunEvents.RunEvents, { last, output, sessionState }: Ended) => {
    const event = events.number(last)
    return runs.finish({
      run: output,
      events: events.isKept ? [...events.unstored(), event] : null,
      session_state: sessionState,
      usage: output.metrics ?? {},
      updated_at: event.created_at
    }).pipe(
      // The work is done and paid for: one broken connection should not be the end of it.
      Effect.retry({ times: 1 }),
      Effect.tapCause((cause) =>
        Effect.annotateLogs(Effect.logError("The end of a run could not be stored", cause), { run_id: output.run_id })
      ),
      Effect.andThen(Effect.sync(() => events.offer(event))),
      Effect.as(output)
    )
  }

  const accept = Effect.fnUntraced(function*(command: RunCommand, resolved: AgentRunner.Models) {
    const createdAt = yield* now
    const begun = yield* runs.begin(beginningOf(command, resolved, { node: options.node, createdAt }))
    const done = yield* Deferred.make<Run.Output, StorageUnavailable>()
    const queue = command.stream
      ? yield* Queue.unbounded<RunEvent.RunEvent, StorageUnavailable | Cause.Done>()
      : undefined
    const events = yield* RunEvents.make(command, queue)
    const { run_id } = command
    const cancellation: Cancellation.Cancellation = {
      reason: intents.take(run_id) ? Cancellation.reasonOf(run_id) : undefined
    }
    const own: Executing = { cancellation, events, output: Deferred.await(done), fiber: undefined }
    // before it is forked: a run may have said something, and be cancelled for it, before the fork has returned
    executing.set(run_id, own)
    isBusy.openUnsafe()
    own.fiber = fork(
      AgentRunner.run({ command, models: resolved, begun, createdAt, emit: events.publish, cancellation }).pipe(
        Effect.flatMap((ended) => finish(events, ended)),
        Effect.onExit((exit) => {
          executing.delete(run_id)
          if (executing.size === 0) isBusy.closeUnsafe()
          return Effect.andThen(Deferred.done(done, exit), events.end(exit))
        })
      )
    )
    if (cancellation.reason !== undefined) own.fiber.interruptUnsafe()
    const handle: RunHandle = {
      events: queue === undefined ? Stream.empty : Stream.fromQueue(queue),
      output: own.output
    }
    return handle
  })

  return RunEngine.of({
    // A caller who goes away must not leave a run behind that is stored as running and that nobody executes.
    start: (command) =>
      Effect.flatMap(resolve(command), (resolved) => Effect.uninterruptible(accept(command, resolved))),
    watch: (request) => RunWatch.watch(runs, executing.get(request.run_id)?.events, request),
    output: (request) => RunWatch.output(runs, executing.get(request.run_id)?.output, request),
    cancel: Effect.fn("RunEngine.cancel")(function*({ filter, run_id, session_id }) {
      const isFound = yield* runs.requestCancel(run_id, session_id, filter)
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone") intents.add(run_id)
      return isFound
    })
  })
})
