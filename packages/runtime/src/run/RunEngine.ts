// Accepts runs and sees them through. A run belongs to the engine, not to the request that started it: a client that
// goes away changes nothing, and neither does the end of this process. An engine that is closed waits for its runs as long
// as it is given; those that take longer it hands over, to itself when it is back or to another node, and they go on from
// the last step that they have finished.
import type { AnyRun, Json, Run, RunEvent, Session, StorageUnavailable } from "@svc/domain"
import { Context, Deferred, Duration, Effect, Exit, Latch, Layer, Option, Semaphore, Stream } from "effect"
import { Databases } from "../Databases.ts"
import { now } from "../now.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import * as Abandoned from "./Abandoned.ts"
import * as Beginning from "./Beginning.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Execution from "./Execution.ts"
import { forkDrained } from "./forkDrained.ts"
import { type RunExists, RunHandedOver, type SessionBusy } from "./RunErrors.ts"
import type { Ended } from "./Runnable.ts"
import { type Manner, type RunCommand, Runners } from "./Runners.ts"
import type { Resting, RunFilter } from "./RunStore.ts"
import * as RunWatch from "./RunWatch.ts"
import * as Turns from "./Turns.ts"

export interface RunHandle {
  /** From the first event to the last one, which comes after the run is stored. For one reader. Empty unless streamed. */
  readonly events: Stream.Stream<RunEvent.RunEvent, StorageUnavailable | RunHandedOver>
  /** As it is stored. */
  readonly output: Effect.Effect<AnyRun.Output, StorageUnavailable | RunHandedOver>
}

export interface CancelRequest {
  readonly run_id: Run.Id
  /** Undefined where the run's id has to do. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
}

export interface ContinueRequest extends Manner {
  readonly resting: Resting
  /** What somebody said that the run goes on from. */
  readonly entry: Json.Object | undefined
}

export interface RunEngineOptions {
  /** Names this process among those that share a database; the same again after a restart. */
  readonly node: string
  /** How long runs may go on when the engine is closed. */
  readonly drainTimeout: Duration.Input
  /** Seconds without a sign of life after which other nodes take over what a node is executing. Undefined: never. */
  readonly nodeTimeout?: number | undefined
  /** The least time between two statements that store events. What happens meanwhile is shown that much later. */
  readonly eventInterval?: Duration.Input | undefined
}

export class RunEngine extends Context.Service<RunEngine, {
  /**
   * Returns when the run is stored as accepted; it is refused before that, or not at all. One that could see what others
   * in its session leave begins when these have ended.
   */
  readonly start: (
    command: RunCommand
  ) => Effect.Effect<RunHandle, SessionNotFound | SessionBusy | RunExists | StorageUnavailable>
  /** Goes on with a run that is paused or has failed. None when somebody else was faster. */
  readonly continue: (request: ContinueRequest) => Effect.Effect<Option.Option<RunHandle>, StorageUnavailable>
  /** Goes on with what this node was executing when it stopped, and gives how many runs that are. */
  readonly recover: Effect.Effect<number, StorageUnavailable>
  /** A run as it is when it has ended or paused, which is waited for. None when there is no such run that may be seen. */
  readonly output: (
    request: RunWatch.OutputRequest
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
  /**
   * Ends a run that has not ended, wherever it is executed, and tells whether there is such a run. One that is not there
   * may still come: for those who may touch anybody's runs it is cancelled when it does. A paused one is cancelled when
   * it is continued.
   */
  readonly cancel: (request: CancelRequest) => Effect.Effect<boolean, StorageUnavailable>
  /** The events of a run, those that were and those that come. None when there is no such run that may be seen. */
  readonly watch: (
    request: RunWatch.WatchRequest
  ) => Effect.Effect<Option.Option<RunWatch.Watched>, StorageUnavailable>
}>()("@svc/runtime/run/RunEngine") {
  static readonly layer = (
    options: RunEngineOptions
  ): Layer.Layer<RunEngine, never, Databases | Runners> => Layer.effect(RunEngine, make(options))
}

/** How often it is looked whether others want the end of a run that is executed here. */
const lookEvery = "250 millis"

/** How often runs are taken over at most at a time. */
const mostAtOnce = 100

const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
  const { node, nodeTimeout } = options
  const databases = yield* Databases
  const runners = yield* Runners
  const { runs } = databases.all[0]
  const executing = new Map<Run.Id, Execution.Execution>()
  /** What is being accepted or continued, and is not executed yet. */
  const coming = new Set<{ readonly run_id: Run.Id }>()
  /** Runs whose callers were told that they are not accepted. */
  const refused = new Set<Run.Id>()
  /** Open when the store may have given this node runs that it knows nothing of, because the answer was lost. */
  const hasDoubts = yield* Latch.make(false)
  const taking = yield* Semaphore.make(1)
  const intents = Cancellation.makeIntents()
  const turns = Turns.make(runs, node)
  /** Open while something is executed. */
  const isBusy = yield* Latch.make(false)
  const withNews = new Set<Execution.Execution>()
  /** Open while there are events to store. */
  const hasNews = yield* Latch.make(false)

  // Before the fibers are made, so that it comes after they have ended: what they leave is handed over.
  yield* Effect.addFinalizer(() => Effect.ignore(runs.release(node)))
  const fork = yield* forkDrained(options.drainTimeout)
  let isClosing = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (isClosing = true)))

  /** All of them are told before the first one ends: that could give its turn to the next one. */
  const interrupt = (...wanted: ReadonlyArray<Run.Id>) => {
    const found = wanted.flatMap((run) => executing.get(run) ?? [])
      .filter(({ cancellation }) => cancellation.reason === undefined)
    for (const { cancellation, run_id } of found) cancellation.reason = Cancellation.reasonOf(run_id)
    for (const { fiber } of found) fiber?.interruptUnsafe()
  }

  const interruptWanted = Effect.ignore(
    Effect.map(runs.cancelRequested(node), (wanted) => interrupt(...wanted))
  )

  const onNews = (execution: Execution.Execution) => {
    withNews.add(execution)
    hasNews.openUnsafe()
  }

  // One statement for whatever has happened in all runs since the last one: nothing waits for it but those who watch.
  const storeEvents = Effect.suspend(() => {
    hasNews.closeUnsafe()
    const fresh = [...withNews].flatMap((execution) => {
      const events = execution.isEnding ? [] : execution.events.unstored()
      return events.length === 0 ? [] : [{ execution, events }]
    })
    withNews.clear()
    if (fresh.length === 0) return Effect.void
    const happened = fresh.map(({ events, execution: { attempt, run_id } }) => ({ run_id, attempt, events }))
    return runs.appendEvents(happened).pipe(
      Effect.flatMap((held) =>
        Effect.forEach(fresh, ({ events, execution }) => {
          if (held.includes(execution.run_id)) return Effect.sync(() => execution.events.stored(events))
          return execution.isEnding ? Effect.void : Execution.lose(execution)
        }, { discard: true })
      ),
      // the store is away: they are still there, and go with the next ones
      Effect.onError(() => Effect.sync(() => fresh.forEach(({ execution }) => onNews(execution))))
    )
  })

  const interval = Duration.fromInputUnsafe(options.eventInterval ?? "5 millis")
  const pauseBetween = Duration.isZero(interval) ? Effect.yieldNow : Effect.sleep(interval)
  yield* hasNews.await.pipe(
    Effect.andThen(Effect.catchCause(storeEvents, () => Effect.sleep(lookEvery))),
    Effect.andThen(pauseBetween),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  // Requests reach the node that executes a run through the store, so that any node can take them.
  yield* isBusy.await.pipe(
    Effect.andThen(Effect.sleep(lookEvery)),
    Effect.andThen(interruptWanted),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  yield* turns.look.pipe(Effect.interruptible, Effect.forkScoped)

  const ended = (execution: Execution.Execution) => {
    // it may be executed again already
    if (executing.get(execution.run_id) === execution) executing.delete(execution.run_id)
    if (executing.size === 0) isBusy.closeUnsafe()
  }

  /** A run that is told to end while it waits ends at once, and changes nothing in its session. */
  const turnOf = ({ begun, isWaiting, request: { session_id }, run_id }: Execution.Taken) =>
    isWaiting
      ? Effect.map(Effect.exit(Effect.interruptible(turns.wait({ run_id, session_id }))), Exit.getSuccess)
      : Effect.succeedSome(begun)

  const perform = Effect.fnUntraced(function*(taken: Execution.Taken, execution: Execution.Execution) {
    const { begun, continuedFrom, createdAt, runnable } = taken
    const { cancellation, events } = execution
    const turn = yield* turnOf(taken)
    if (Option.isNone(turn) && cancellation.reason === undefined) return Option.none<Ended>()
    const ended = yield* runnable.run({
      begun: Option.getOrElse(turn, () => begun),
      createdAt,
      emit: events.publish,
      cancellation,
      journal: Execution.journalOf(runs, execution),
      isContinued: continuedFrom?.hasBegun === true
    })
    return Option.isSome(turn) ? ended : Option.map(ended, (ended): Ended => ({ ...ended, sessionState: undefined }))
  })

  const execute = Effect.fnUntraced(function*(taken: Execution.Taken, execution: Execution.Execution) {
    const { request: { lifetime, session_id }, run_id } = taken
    const { cancellation, events } = execution
    // before it is forked: a run may have said something, and be cancelled for it, before the fork has returned
    executing.set(run_id, execution)
    isBusy.openUnsafe()
    execution.fiber = fork(
      perform(taken, execution).pipe(
        Effect.flatMap((end): Effect.Effect<AnyRun.Output, StorageUnavailable | RunHandedOver> =>
          Option.isSome(end)
            ? Execution.finish(runs, execution, end.value, () => isClosing)
            : Effect.fail(new RunHandedOver({ run_id }))
        ),
        Effect.onExit((exit) => {
          ended(execution)
          return Deferred.done(execution.done, exit).pipe(
            Effect.andThen(events.end(exit)),
            Effect.andThen(turns.passOn(session_id)),
            Effect.andThen(lifetime?.end ?? Effect.void)
          )
        })
      )
    )
    lifetime?.handOver()
    if (cancellation.reason !== undefined) execution.fiber.interruptUnsafe()
    const handle: RunHandle = {
      events: execution.reader === undefined ? Stream.empty : Stream.fromQueue(execution.reader),
      output: Deferred.await(execution.done)
    }
    return handle
  })

  /** Puts a run into this node's hands by a statement that may have done so even if it fails. */
  const intoHands = <A, E, B, F>(
    run_id: Run.Id,
    statement: Effect.Effect<A, E>,
    andThen: (answer: A) => Effect.Effect<B, F>
  ): Effect.Effect<B, E | F> => {
    const arrival = { run_id }
    coming.add(arrival)
    return statement.pipe(
      Effect.tapError(() => Effect.sync(() => hasDoubts.openUnsafe())),
      Effect.flatMap(andThen),
      Effect.ensuring(Effect.sync(() => coming.delete(arrival)))
    )
  }

  const accept = Effect.fnUntraced(function*(command: RunCommand) {
    const runnable = yield* runners.prepare(command)
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const createdAt = yield* now
      const { run_id } = command
      const { entries } = runnable
      const taken = { run_id, attempt: 1, request: command, runnable, createdAt, entries, continuedFrom: undefined }
      const execution = yield* Execution.make(
        { ...taken, begun: { session_state: {}, history: [] }, isWaiting: false },
        onNews
      )
      const opening = execution.events.isKept ? execution.events.add(runnable.opening) : undefined
      const beginning = Beginning.of(command, runnable, { node, createdAt, opening })
      const begin = Effect.tapErrorTag(
        runs.begin(beginning),
        "StorageUnavailable",
        () => Effect.sync(() => refused.add(run_id))
      )
      return yield* intoHands(run_id, begin, ({ isWaiting, ...begun }) => {
        if (opening !== undefined) execution.events.stored([opening])
        if (intents.take(run_id)) execution.cancellation.reason = Cancellation.reasonOf(run_id)
        const handle = execute({ ...taken, begun, isWaiting }, execution)
        return isWaiting && command.ifBusy === "interrupt" ? Effect.andThen(interruptWanted, handle) : handle
      })
    }))
  })

  /** Of a run that this node holds now. */
  const goOn = Effect.fnUntraced(function*(resting: Resting, manner: Manner) {
    const command = yield* runners.restore(resting, manner)
    if (Option.isNone(command)) return yield* Abandoned.end(runs, resting)
    const { attempt, entries, eventCount, history, output, run_id, session_state, status } = resting
    const taken: Execution.Taken = {
      run_id,
      attempt,
      request: command.value,
      runnable: yield* runners.prepare(command.value),
      begun: { session_state, history },
      isWaiting: status === "PENDING",
      createdAt: output.created_at,
      entries,
      continuedFrom: { eventCount, hasBegun: status !== "PENDING" }
    }
    const execution = yield* Execution.make(taken, onNews)
    if (resting.isCancelRequested) execution.cancellation.reason = Cancellation.reasonOf(run_id)
    return yield* execute(taken, execution)
  })

  /** One at a time, so that none takes what another one has just been given. */
  const take = (isStarting: boolean) =>
    Effect.suspend(() => {
      const except = isStarting ? [...executing.keys(), ...[...coming].map(({ run_id }) => run_id)] : []
      const takeover = { node, isStarting, except, silence: nodeTimeout, limit: mostAtOnce }
      return Effect.tap(runs.takeOver(takeover), (taken) => Effect.sync(() => taken.forEach((run) => coming.add(run))))
    }).pipe(taking.withPermit)

  const takeOver = (isStarting: boolean) =>
    Effect.gen(function*() {
      const taken = yield* take(isStarting)
      // side by side: a factory that hangs must not keep the others waiting
      yield* Effect.forEach(taken, (resting) => {
        // whoever wanted it was told that it will not be
        const isCancelRequested = resting.isCancelRequested || refused.has(resting.run_id)
        return Effect.ensuring(
          goOn({ ...resting, isCancelRequested }, Beginning.mannerOf(resting)),
          Effect.sync(() => coming.delete(resting))
        )
      }, { concurrency: mostAtOnce, discard: true })
      return taken.length
    }).pipe(
      Effect.onError(() => Effect.sync(() => hasDoubts.openUnsafe())),
      Effect.uninterruptible
    )

  /** Whoever executes a run notices at its next step that another node has it now. One that waits has none. */
  const loseWaiting = Effect.suspend(() => {
    const waiting = turns.waiting().flatMap((id) => executing.get(id) ?? [])
    if (waiting.length === 0) return Effect.void
    const hands = waiting.map(({ attempt, run_id }) => ({ run_id, attempt, events: [] }))
    return Effect.flatMap(
      runs.appendEvents(hands),
      (held) =>
        Effect.forEach(waiting.filter(({ run_id }) => !held.includes(run_id)), Execution.lose, { discard: true })
    )
  })

  if (nodeTimeout !== undefined) {
    // before anything is in its hands: a node that was never seen is never missed
    yield* Effect.ignore(runs.beat(node))
    // apart from each other: what is taken over may take its time to begin, and this node is alive meanwhile
    for (const task of [runs.beat(node), takeOver(false), loseWaiting]) {
      yield* Effect.ignore(task).pipe(
        Effect.andThen(Effect.sleep(`${Math.max(0.25, nodeTimeout / 4)} seconds`)),
        Effect.forever,
        Effect.interruptible,
        Effect.forkScoped
      )
    }
  }

  /** All of them, however many there are. */
  const recover: Effect.Effect<number, StorageUnavailable> = Effect.flatMap(
    takeOver(true),
    (taken) => taken < mostAtOnce ? Effect.succeed(taken) : Effect.map(recover, (more) => taken + more)
  )

  yield* hasDoubts.await.pipe(
    Effect.andThen(Effect.sleep(lookEvery)),
    Effect.andThen(Effect.sync(() => hasDoubts.closeUnsafe())),
    Effect.andThen(Effect.ignore(Effect.tap(recover, () => Effect.sync(() => refused.clear())))),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )

  return RunEngine.of({
    // A caller who goes away must not leave a run behind that is stored as running and that nobody executes.
    start: accept,
    continue: ({ entry, resting, ...manner }) => {
      const { attempt, entries, run_id } = resting
      return Effect.uninterruptible(intoHands(run_id, runs.resume({ run_id, attempt, node, entry }), (held) => {
        if (Option.isNone(held)) return Effect.succeedNone
        const all = entry === undefined ? entries : [...entries, entry]
        return Effect.asSome(goOn({ ...resting, attempt: held.value, entries: all }, manner))
      }))
    },
    recover,
    watch: (request) => RunWatch.watch(runs, executing.get(request.run_id)?.events, request),
    output: (request) => {
      const execution = executing.get(request.run_id)
      return RunWatch.output(runs, execution && Deferred.await(execution.done), request)
    },
    cancel: Effect.fn("RunEngine.cancel")(function*({ filter, run_id, session_id }) {
      const isFound = yield* runs.requestCancel(run_id, session_id, filter)
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone") intents.add(run_id)
      return isFound
    })
  })
})
