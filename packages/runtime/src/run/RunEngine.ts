// Accepts runs and sees them through. A run belongs to the engine, not to the request that started it: a client that
// goes away changes nothing, and neither does the end of this process. An engine that is closed waits for its runs as long
// as it is given; those that take longer it hands over, to itself when it is back or to another node, and they go on from
// the last step that they have finished.
import type { AnyRun, Json, Run, Session, StorageUnavailable } from "@svc/domain"
import { Context, type Duration, Effect, Latch, Layer, Option, PubSub, Stream } from "effect"
import { Databases } from "../Databases.ts"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import * as Abandoned from "./Abandoned.ts"
import * as Arrivals from "./Arrivals.ts"
import * as BackgroundLoops from "./BackgroundLoops.ts"
import * as Beginning from "./Beginning.ts"
import * as Cancellation from "./Cancellation.ts"
import * as EventWriter from "./EventWriter.ts"
import * as Execution from "./Execution.ts"
import * as Executor from "./Executor.ts"
import { Notifications } from "./Notifications.ts"
import type { RunExists, RunHandedOver, SessionBusy } from "./RunErrors.ts"
import * as RunFollower from "./RunFollower.ts"
import type { RunHandle } from "./RunHandle.ts"
import { type Manner, type RunCommand, Runners } from "./Runners.ts"
import * as RunSignals from "./RunSignals.ts"
import type { Resting, RunFilter } from "./RunStore.ts"
import * as RunWatch from "./RunWatch.ts"
import * as StorageState from "./StorageState.ts"
import * as Turns from "./Turns.ts"

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
  /** The claim of the request's idempotency key. */
  readonly claim?: string | undefined
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
  /** The runs of this node that have just paused, as they are stored. */
  readonly pauses: Stream.Stream<AnyRun.Output>
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

/** What nodes that share a database tell each other. */
const cancelTopic = "cancel"
const runTopic = (run: Run.Id) => `run ${run}`

/** The same, of a node that executes nothing. */
const idleEvery = "5 seconds"

const make = Effect.fnUntraced(function*({ drainTimeout, eventInterval, node, nodeTimeout }: RunEngineOptions) {
  const databases = yield* Databases
  const runners = yield* Runners
  const { runs } = databases.all[0]
  const intents = Cancellation.makeIntents()
  const channel = yield* Notifications
  const signals = yield* RunSignals.make(channel, channel === undefined ? node : (yield* NewId)())
  // with signals, polling only finds what they have missed
  const pollInterval = channel === undefined ? lookEvery : "1 second"
  const turns = Turns.make(runs, node, signals)
  const storage = StorageState.make()

  // Before the executor is made, so that it comes after that is closed: what it leaves is handed over.
  yield* Effect.addFinalizer(() => Effect.ignore(runs.release(node)))
  // when the executor is closed: whoever still waits is told that the run goes on elsewhere or later
  let isClosing = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
      watching.wake()
    })
  )
  const pauses = yield* PubSub.unbounded<AnyRun.Output>()
  const onPause = (output: AnyRun.Output) => PubSub.publish(pauses, output)
  const eventsOf = (execution: Execution.Execution) => Stream.suspend(() => watching.eventsOf(execution))
  const { execute, executing, interrupt, isBusy } = yield* Executor.make({
    runs,
    turns,
    drainTimeout,
    eventsOf,
    onPause
  })
  const follower = RunFollower.make({
    runs,
    pollInterval,
    interval: "25 millis",
    onFollow: (run, signal) => signals.follow(runTopic(run), signal)
  })
  const watching = RunWatch.make({ runs, executing, follower, isClosing: () => isClosing })
  const onNews = yield* EventWriter.make(runs, { interval: eventInterval ?? "5 millis", patience: lookEvery })

  const onStored = (run: Run.Id) => signals.publish(runTopic(run))

  /** Of a run that this node holds now. */
  const goOn = Effect.fnUntraced(function*(resting: Resting, manner: Manner) {
    const command = yield* runners.restore(resting, manner)
    if (Option.isNone(command)) return yield* Abandoned.end(runs, resting)
    const { attempt, entries, eventCount, history, output, resumedAt, run_id, session_state, status } = resting
    const taken: Execution.Taken = {
      run_id,
      attempt,
      request: command.value,
      runnable: yield* runners.prepare(command.value),
      begun: { session_state, history },
      isWaiting: status === "PENDING",
      createdAt: output.created_at,
      entries,
      resumedAt,
      continuedFrom: { eventCount, hasBegun: status !== "PENDING" }
    }
    const execution = yield* Execution.make(taken, onNews, onStored)
    if (resting.isCancelRequested) execution.cancellation.reason = Cancellation.reasonOf(run_id)
    return execute(taken, execution)
  })

  const arrivals = yield* Arrivals.make({
    runs,
    node,
    silence: nodeTimeout,
    executing,
    goOn: (resting) => goOn(resting, Beginning.mannerOf(resting))
  })

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const interruptWanted = Effect.map(runs.cancelRequested(node), (wanted) => interrupt(...wanted))

  // A caller who goes away must not leave a run behind that is stored as running and that nobody executes.
  const accept = Effect.fnUntraced(function*(command: RunCommand) {
    const runnable = yield* runners.prepare(command)
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const createdAt = yield* now
      const { run_id } = command
      const { entries } = runnable
      const taken = {
        run_id,
        attempt: 1,
        request: command,
        runnable,
        createdAt,
        entries,
        resumedAt: undefined,
        continuedFrom: undefined
      }
      const execution = yield* Execution.make(
        { ...taken, begun: { session_state: {}, history: [] }, isWaiting: false },
        onNews,
        onStored
      )
      const opening = execution.events.isKept ? execution.events.add(runnable.opening) : undefined
      const beginning = Beginning.of(command, runnable, { node, createdAt, opening })
      const begin = Effect.tapErrorTag(runs.begin(beginning), "StorageUnavailable", () => arrivals.refuse(run_id))
      return yield* arrivals.into(run_id, begin, ({ isWaiting, ...begun }) => {
        if (opening !== undefined) execution.events.stored([opening])
        if (intents.take(run_id)) execution.cancellation.reason = Cancellation.reasonOf(run_id)
        const handle = Effect.sync(() => execute({ ...taken, begun, isWaiting }, execution))
        if (!isWaiting || command.ifBusy !== "interrupt") return handle
        signals.publish(cancelTopic)
        return Effect.andThen(Effect.ignoreCause(interruptWanted), handle)
      })
    }))
  })

  /** Whoever executes a run notices at its next step that another node has it now. One that waits has none. */
  const loseWaiting = Effect.suspend(() => {
    const waiting = turns.waiting().flatMap((id) => executing.get(id) ?? [])
    if (waiting.length === 0) return Effect.void
    const hands = waiting.map(({ attempt, run_id }) => ({ run_id, attempt, events: [] }))
    return Effect.flatMap(runs.appendEvents(hands), (held) => {
      const isHeld = Execution.areHeld(held)
      return Effect.forEach(waiting.filter((execution) => !isHeld(execution)), Execution.lose, { discard: true })
    })
  })

  /** All of them, however many there are. */
  const recover: Effect.Effect<number, StorageUnavailable> = Effect.flatMap(
    arrivals.takeOver(true),
    (taken) => taken < Arrivals.mostAtOnce ? Effect.succeed(taken) : Effect.map(recover, (more) => taken + more)
  )

  // before anything is in its hands: a node that was never seen is never missed
  if (nodeTimeout !== undefined) yield* Effect.ignoreCause(runs.beat(node))
  const pause = `${Math.max(0.25, (nodeTimeout ?? 0) / 4)} seconds` as const
  const pauseOnce = Effect.sleep(lookEvery)
  const isCancelSignalled = Latch.makeUnsafe(false)
  signals.follow(cancelTopic, () => isCancelSignalled.openUnsafe())
  // apart from each other: what is taken over may take its time to begin, and this node is alive meanwhile
  yield* BackgroundLoops.fork({ node }, {
    ...signals.loops,
    ...follower.loops,
    sessionQueue: { when: Effect.andThen(turns.isWaiting, Effect.sleep(pollInterval)), task: turns.poll, every: 0 },
    signalledTurns: { when: turns.isSignalled, task: turns.takeSignalled, every: "10 millis" },
    // an idle node asks as well: a run that it does not execute may be stored under its name
    cancellations: {
      when: Effect.raceFirst(isBusy, Effect.sleep(idleEvery)),
      task: interruptWanted,
      every: pollInterval,
      probes: storage
    },
    signalledCancellations: {
      when: Effect.tap(isCancelSignalled.await, () => Effect.sync(() => isCancelSignalled.closeUnsafe())),
      task: interruptWanted,
      every: "10 millis"
    },
    reclaim: {
      when: Effect.andThen(arrivals.doubts, pauseOnce),
      task: Effect.andThen(recover, arrivals.settle),
      every: lookEvery
    },
    ...(nodeTimeout === undefined ? {} : {
      heartbeat: { task: runs.beat(node), every: pause, probes: storage },
      takeover: { task: arrivals.takeOver(false), every: pause },
      lostLeases: { task: loseWaiting, every: pause }
    })
  })

  return RunEngine.of({
    start: accept,
    continue: ({ claim, entry, resting, ...manner }) => {
      const { attempt, entries, run_id } = resting
      return Effect.uninterruptible(
        arrivals.into(run_id, runs.resume({ run_id, attempt, node, entry, claim }), (held) => {
          if (Option.isNone(held)) return Effect.succeedNone
          const all = entry === undefined ? entries : [...entries, entry]
          return Effect.asSome(
            goOn({ ...resting, attempt: held.value, entries: all, resumedAt: entries.length }, manner)
          )
        })
      )
    },
    recover,
    pauses: Stream.fromPubSub(pauses),
    watch: watching.watch,
    output: watching.output,
    cancel: Effect.fn("RunEngine.cancel")(function*({ filter, run_id, session_id }) {
      const isFound = yield* runs.requestCancel(run_id, session_id, filter)
      if (isFound && !executing.has(run_id)) signals.publish(cancelTopic)
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone") intents.add(run_id)
      return isFound
    })
  })
})
