// Accepts runs and executes them. A run belongs to the engine, not to the request that started it: neither a disconnect
// of its client nor the end of this process ends it. An engine that is closed waits for its runs up to a limit, and
// hands over the others. They resume after their last finished step, on any node or after a restart.
import type * as AnyRun from "@svc/domain/AnyRun"
import type * as Ids from "@svc/domain/Ids"
import type * as Json from "@svc/domain/Json"
import type * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Clock, Context, type Duration, Effect, Exit, Latch, Layer, Option, Stream } from "effect"
import { ByteLimits } from "../ByteLimits.ts"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import type { SessionNotFound } from "../session/SessionErrors.ts"
import * as BackgroundLoops from "./BackgroundLoops.ts"
import * as Cancellation from "./Cancellation.ts"
import type { CurrentNode } from "./CurrentNode.ts"
import { detached } from "./detached.ts"
import * as EventWriter from "./EventWriter.ts"
import * as Execution from "./Execution.ts"
import * as Executor from "./Executor.ts"
import * as LeaseAcquisition from "./LeaseAcquisition.ts"
import * as NewRun from "./NewRun.ts"
import * as NodeLease from "./NodeLease.ts"
import { Notifications } from "./Notifications.ts"
import * as PausedCancel from "./PausedCancel.ts"
import * as Presence from "./Presence.ts"
import * as Reclaims from "./Reclaims.ts"
import * as Restoring from "./Restoring.ts"
import { retryUntilAvailable } from "./retryUntilAvailable.ts"
import * as RunAdmission from "./RunAdmission.ts"
import { type RunExists, RunHandedOver, type SessionBusy, type TooManyRuns, unstorable } from "./RunErrors.ts"
import * as RunFollower from "./RunFollower.ts"
import type { RunHandle } from "./RunHandle.ts"
import type { Runnable } from "./Runnable.ts"
import { type RunMode, Runners } from "./Runners.ts"
import type { RunRequest } from "./RunRequest.ts"
import * as RunSignals from "./RunSignals.ts"
import { type RunFilter, type RunSnapshot, RunStore } from "./RunStore.ts"
import * as RunWatch from "./RunWatch.ts"
import * as SessionQueue from "./SessionQueue.ts"
import * as Silence from "./Silence.ts"
import * as StorageState from "./StorageState.ts"
import { stamped, StoredFormat } from "./StoredFormat.ts"
import * as UnrecoverableRun from "./UnrecoverableRun.ts"
import * as Watchdog from "./Watchdog.ts"

export interface CancelRequest {
  readonly run_id: Run.Id
  /** Undefined if only the id of the run is known. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
  /** The database of the run. Left out: that of the filter's component, or any. */
  readonly database?: Ids.DatabaseId | undefined
}

export interface ContinueRequest extends RunMode {
  readonly snapshot: RunSnapshot
  /** The decision or input that the run resumes with. */
  readonly entry: Json.Object | undefined
  /** The claim of the request's idempotency key. */
  readonly claim?: string | undefined
}

export interface RunEngineOptions {
  /** Names this process for people; the same again after a restart. */
  readonly node: string
  /** How a process finds out whether another one on the same machine has ended. */
  readonly identity?: Presence.Identity | undefined
  /** Whether other processes may use the database. Where there is a `nodeTimeout`, when left out. */
  readonly isShared?: boolean | undefined
  readonly limits?: Partial<Restoring.Limits> | undefined
  /** How long runs may continue when the engine is closed. */
  readonly drainTimeout: Duration.Input
  /** How much the engines of a node execute at once. */
  readonly admission?: RunAdmission.RunAdmission | undefined
  /** Seconds without a heartbeat after which other nodes take over the runs of a node. Undefined: never. */
  readonly nodeTimeout?: number | undefined
  /** The least time between two statements that store events. What happens meanwhile is shown that much later. */
  readonly eventInterval?: Duration.Input | undefined
}

export class RunEngine extends Context.Service<RunEngine, {
  /**
   * Returns when the run is stored as accepted; it is refused before that, or not at all. One that could see what
   * others in its session leave begins when these have ended.
   */
  readonly start: (
    command: RunRequest
  ) => Effect.Effect<RunHandle, SessionNotFound | SessionBusy | RunExists | TooManyRuns | StorageUnavailable>
  /** Resumes a run that is paused or has failed. None when another request was faster. */
  readonly continue: (request: ContinueRequest) => Effect.Effect<Option.Option<RunHandle>, StorageUnavailable>
  /**
   * Acquires what this node was executing when it stopped, and returns when each of these runs is executed again, given
   * back or ended. Gives how many they are. One that cannot be restored makes none of the others fail.
   */
  readonly recover: Effect.Effect<number, StorageUnavailable>
  /**
   * Waits until a run has ended or paused, and returns it. None if the caller can see no such run.
   */
  readonly output: (
    request: RunWatch.OutputRequest
  ) => Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
  /**
   * Cancels a run that has not ended, on any node, and returns whether it exists. The request of a caller with
   * unrestricted access for an unknown run is kept, and cancels the run when it is accepted. A paused run ends at once.
   */
  readonly cancel: (request: CancelRequest) => Effect.Effect<boolean, StorageUnavailable>
  /**
   * Callers that wait for a run or watch one get the error that it resumes later, or elsewhere. The runs are handed
   * over.
   */
  readonly handOver: Effect.Effect<void>
  /** Whether the database answers and this node may execute runs. */
  readonly isAble: Effect.Effect<boolean>
  /** Fails when the database answers nothing for some seconds. Whether a write was stored is unknown then. */
  readonly whileAnswering: <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** For other work that is executed under leases. */
  readonly node: CurrentNode
  /** The stored and the coming events of a run. None if the caller can see no such run. */
  readonly watch: (
    request: RunWatch.WatchRequest
  ) => Effect.Effect<Option.Option<RunWatch.Watched>, StorageUnavailable>
}>()("@svc/runtime/run/RunEngine") {
  static readonly layer = (
    options: RunEngineOptions
  ): Layer.Layer<RunEngine, never, RunStore | Runners> => Layer.effect(RunEngine, make(options))
}

/** Undefined: the service's own. */
export const databaseOf = ({ snapshot }: ContinueRequest): Ids.DatabaseId | undefined => snapshot.database

/** The interval of checks for cancel requests of runs that are executed here. */
const quickPoll = "250 millis"

/** The topics of signals between nodes that share a database. */
const cancelTopic = "cancel"
const runTopic = (run: Run.Id) => `run ${run}`

/** The interval of these checks on a node that executes nothing. */
const idleEvery = "5 seconds"

/** In seconds, for the interval of heartbeats if nodes never count as dead. */
const defaultNodeTimeout = 8

/** Limits the size of the values of each execution. */
const bounded = (runners: Runners["Service"], limits: ByteLimits): Runners["Service"] => ({
  ...runners,
  prepare: (command) =>
    Effect.map(runners.prepare(command), (runnable): Runnable => ({
      ...runnable,
      run: (start) => Effect.provideService(runnable.run(start), ByteLimits, limits)
    }))
})

const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
  const { drainTimeout, eventInterval, nodeTimeout } = options
  const runners = bounded(yield* Runners, yield* ByteLimits)
  const format = yield* StoredFormat
  const limits = { ...Restoring.defaultLimits, ...options.limits }
  const isShared = options.isShared ?? nodeTimeout !== undefined
  const store = yield* RunStore
  const runs: typeof store = {
    ...store,
    record: (recorded) => store.record({ ...recorded, entry: stamped(format, recorded.entry) })
  }
  const presence = yield* Presence.make({
    runs,
    name: options.node,
    identity: options.identity,
    isShared,
    nodeTimeout: NodeLease.takeoverAfter(nodeTimeout),
    components: runners.components,
    format: format.current
  })
  const { node } = presence
  const intents = Cancellation.makeIntents()
  const channel = yield* Notifications
  const signals = yield* RunSignals.make(channel, channel === undefined ? node : (yield* NewId)())
  // with signals, polling only finds what they have missed
  const pollInterval = channel === undefined ? quickPoll : "1 second"
  const turns = SessionQueue.make(runs, node, signals)
  const storage = StorageState.make()

  // Before the executor is made, so that it comes after that is closed: what it leaves is handed over.
  yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.timeout(runs.release(node), "5 seconds")))
  // when the executor is closed: waiting callers get the error that the run resumes elsewhere or later
  let isClosing = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
      watching.wake()
    })
  )
  // a cancel request may have come while the run paused
  const onPause = (output: AnyRun.Output) =>
    Effect.catchCause(
      Effect.suspend(() => cancelPaused({ run_id: output.run_id, session_id: Session.Id.make(output.session_id) })),
      (cause) => Effect.logWarning("The cancellation of a paused run could not be checked", cause)
    )
  const eventsOf = (execution: Execution.Execution) => Stream.suspend(() => watching.eventsOf(execution))
  const reclaims = Reclaims.make()
  const hasUnstored = yield* Latch.make(false)
  const { execute, executing, interrupt, isBusy } = yield* Executor.make({
    runs,
    turns,
    drainTimeout,
    eventsOf,
    onPause,
    onStored: reclaims.ended,
    onUnstored: ({ givenUp, run_id }) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        reclaims.brokeOff(run_id, { time, isItsFault: givenUp !== "expired" })
        hasUnstored.openUnsafe()
      })
  })
  const follower = RunFollower.make({
    runs,
    pollInterval,
    interval: "25 millis",
    onFollow: (run, signal) => signals.follow(runTopic(run), signal)
  })
  const watching = RunWatch.make({
    runs,
    executing,
    follower,
    isClosing: () => isClosing,
    whileAnswering: (statement) => silence.orFail(statement)
  })
  const onPending = yield* EventWriter.make(runs, { interval: eventInterval ?? "5 millis", retryDelay: quickPoll })
  const lease = yield* NodeLease.make({ beat: presence.beat, nodeTimeout })
  // callers without a credential can request it as well: at most one statement a second
  const answers = yield* detached(runs.cancelRequested(node)).pipe(
    Effect.timeout("2 seconds"),
    Effect.exit,
    Effect.map(Exit.isSuccess),
    Effect.cachedWithTTL("1 second")
  )
  const isAble = Effect.suspend(() => lease.hasExpired() ? Effect.succeed(false) : answers)
  const silence = Silence.make(isAble)
  const onStored = (run: Run.Id) => signals.publish(runTopic(run))
  const around: Execution.Dependencies = { runs, node: lease, onPending, onStored }

  const room = options.admission ?? RunAdmission.make()
  const admission = room.join(executing)

  /** Of a run that this node holds now. */
  const restoreAndStart = (snapshot: RunSnapshot, mode: RunMode) =>
    Effect.uninterruptibleMask(Effect.fnUntraced(function*(interruptible) {
      if (reclaims.isExhausted(snapshot.run_id)) {
        const ended = yield* UnrecoverableRun.end(runs, snapshot, unstorable)
        reclaims.ended(snapshot.run_id)
        return ended
      }
      const request = yield* interruptible(runners.restore(snapshot, mode))
      const { attempt, entries, eventCount, history, output, resumedAt, run_id, session_state, status } = snapshot
      const taken: Execution.AcquiredRun = {
        run_id,
        attempt,
        request,
        runnable: yield* runners.prepare(request),
        begun: { session_state, history },
        isWaiting: status === "PENDING",
        createdAt: output.created_at,
        entries,
        resumedAt,
        continuedFrom: { eventCount, hasBegun: status !== "PENDING" }
      }
      const execution = yield* Execution.make(around, taken)
      if (snapshot.isCancelRequested) execution.cancellation.reason = Cancellation.reasonOf(run_id)
      admission.count(request)
      return execute(taken, execution)
    }))

  /** The same for a caller: what cannot be executed now is left to the node that can. */
  const restoreFor = (run: RunSnapshot, mode: RunMode) =>
    Effect.catchTag(restoreAndStart(run, mode), "NotRestored", ({ isPassing, reason }) => {
      const { attempt, run_id } = run
      if (!isPassing) return UnrecoverableRun.end(runs, run, reason)
      const handedOver = Effect.fail(new RunHandedOver({ run_id, reason: "again" }))
      const handle: RunHandle = { events: Stream.fromEffect(handedOver), output: handedOver }
      return Effect.as(runs.postpone({ run_id, attempt, seconds: 1 }), handle)
    })

  const restore = Restoring.make({
    runs,
    limits,
    format,
    resume: (snapshot) => restoreAndStart(snapshot, NewRun.modeOf(snapshot))
  })

  const arrivals = yield* LeaseAcquisition.make({
    runs,
    node,
    scope: (isStarting) =>
      Effect.map(presence.scope(isStarting), (scope) => ({
        ...scope,
        components: runners.components(),
        format: format.current,
        unservedAfter: limits.unservedTimeout
      })),
    executing,
    isQueued: turns.isQueued,
    mostRecovered: room.recovered,
    restore
  })

  const cancelPaused = PausedCancel.make({
    runs,
    node,
    closeApprovals: runners.closeApprovals,
    into: (run_id, statement) => arrivals.into(run_id, statement, Effect.succeed),
    onEnd: ({ run_id, session_id }) =>
      Effect.andThen(Effect.sync(() => onStored(run_id)), turns.releaseNext(session_id, run_id))
  })

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const interruptWanted = Effect.flatMap(runs.cancelRequested(node), (wanted) => {
    interrupt(...wanted)
    // stored under this node, and not executed here
    const isUnknown = wanted.some((run) => !executing.has(run) && !arrivals.isComing(run))
    return isUnknown ? arrivals.doubt() : Effect.void
  })

  const expired = Effect.suspend(() =>
    Effect.fail(
      new StorageUnavailable({ cause: "This node could not store a heartbeat for NODE_TIMEOUT", hasNoHeartbeat: true })
    )
  )
  const tooUncertain = Effect.suspend(() =>
    Effect.fail(
      new StorageUnavailable({ cause: "Of too many refused runs it is unknown whether they are stored" })
    )
  )
  const whileAlive = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => lease.hasExpired() ? expired : effect)

  // Uninterruptible: a disconnect must not leave a stored run that no node executes.
  const accept = Effect.fnUntraced(function*(command: RunRequest) {
    if (lease.hasExpired()) return yield* expired
    if (arrivals.isFull()) return yield* tooUncertain
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
      const execution = yield* Execution.make(around, {
        ...taken,
        begun: { session_state: {}, history: [] },
        isWaiting: false
      })
      const opening = execution.events.isKept ? execution.events.add(runnable.startEvent) : undefined
      const beginning = NewRun.of(command, runnable, { node, createdAt, format, opening })
      let isLeft = false
      const refuse = Effect.suspend(() => arrivals.refuse(run_id, { isAnswered: !isLeft }))
      const begin = silence.orLeave(runs.create({ ...beginning, isAbandoned: () => isLeft }), {
        onLeave: () => (isLeft = true),
        onEnd: Effect.suspend(() => (isLeft = false, refuse))
      }).pipe(Effect.tapErrorTag("StorageUnavailable", () => refuse))
      return yield* arrivals.into(run_id, begin, ({ isQueued: isWaiting, ...begun }) => {
        if (opening !== undefined) execution.events.stored([opening])
        if (intents.take(run_id)) execution.cancellation.reason = Cancellation.reasonOf(run_id)
        const handle = Effect.sync(() => execute({ ...taken, begun, isWaiting }, execution))
        if (!isWaiting || !NewRun.cancelsOthers(command)) return handle
        signals.publish(cancelTopic)
        return Effect.andThen(Effect.ignoreCause(interruptWanted), handle)
      })
    }))
  })

  /** Stops the runs that other nodes have acquired. */
  const loseAmong = (executions: ReadonlyArray<Execution.Execution>) => {
    if (executions.length === 0) return Effect.void
    const leases = executions.map(({ attempt, run_id }) => ({ run_id, attempt, events: [] }))
    return Effect.flatMap(runs.appendEvents(leases), (held) => {
      const isHeld = Execution.leaseCheck(held)
      const lost = executions.filter((execution) => !execution.isEnding && !isHeld(execution))
      return Effect.forEach(lost, Execution.lose, { discard: true })
    })
  }

  // A run that is executed notices at its next step that another node has acquired it. A queued run has no step.
  const loseWaiting = Effect.suspend(() => loseAmong(turns.waiting().flatMap((id) => executing.get(id) ?? [])))

  // no run is accepted before the first heartbeat: a node without one counts as dead
  yield* Effect.orDie(retryUntilAvailable(presence.join))
  yield* Effect.ignoreCause(lease.heartbeat)
  const takeoverInterval = Math.max(0.25, (nodeTimeout ?? defaultNodeTimeout) / 4)
  const pause = `${takeoverInterval} seconds` as const
  const watchEvery = `${Math.max(0.1, (nodeTimeout ?? defaultNodeTimeout) / 16)} seconds` as const
  const isCancelSignalled = Latch.makeUnsafe(false)
  signals.follow(cancelTopic, () => isCancelSignalled.openUnsafe())
  // each try raises the attempts of what it acquires
  let failedReclaims = 0
  const pauseBeforeReclaim = Effect.suspend(() => Effect.sleep(Math.min(8000, 250 * 2 ** failedReclaims)))
  const reclaim = Effect.andThen(whileAlive(arrivals.recover), arrivals.settle).pipe(
    Effect.onExit(({ _tag }) => Effect.sync(() => (failedReclaims = _tag === "Success" ? 0 : failedReclaims + 1)))
  )
  // in fibers of their own: taken over runs can take long to start, and heartbeats must continue meanwhile
  yield* BackgroundLoops.fork({ node }, {
    ...signals.loops,
    ...follower.loops,
    silence: silence.loop,
    sessionQueue: { when: Effect.andThen(turns.isWaiting, Effect.sleep(pollInterval)), task: turns.poll, every: 0 },
    signalledTurns: { when: turns.isSignalled, task: turns.takeSignalled, every: "10 millis" },
    // an idle node checks this too: a run that it does not execute can be stored under its name
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
    reclaim: { when: Effect.andThen(arrivals.doubts, pauseBeforeReclaim), task: reclaim, every: quickPoll },
    unstored: {
      when: hasUnstored.await,
      task: Effect.flatMap(Clock.currentTimeMillis, (time) => {
        if (lease.hasExpired()) return Effect.void
        const isAnyDue = reclaims.takeDue(time)
        if (!reclaims.areWaiting()) hasUnstored.closeUnsafe()
        return isAnyDue ? arrivals.doubt() : Effect.void
      }),
      every: quickPoll
    },
    // what was given back for a while is acquired again, also where there is no other node
    takeover: { when: Effect.sleep(pause), task: whileAlive(arrivals.takeOver), every: 0 },
    // and so is a queued run that the store has given back, whose caller waits here
    lostLeases: { when: Effect.andThen(turns.isWaiting, Effect.sleep(pause)), task: loseWaiting, every: 0 },
    ...(isShared
      ? {
        heartbeat: { task: lease.heartbeat, every: pause, probes: storage },
        watchdog: {
          task: Watchdog.make({
            executing,
            lease,
            giveUpLost: Effect.suspend(() => loseAmong([...executing.values()])),
            timeout: pause,
            onRecovered: arrivals.doubt()
          }),
          every: watchEvery
        }
      }
      : {})
  })

  return RunEngine.of({
    node: { node, lease, scope: presence.scope, signals, takeoverInterval },
    start: (command) => admission.admit(command, accept(command)),
    continue: ({ claim, entry, snapshot, ...mode }) => {
      const { attempt, entries, run_id } = snapshot
      return Effect.uninterruptible(
        arrivals.into(
          run_id,
          silence.orLeave(
            whileAlive(runs.resume({ run_id, attempt, node, entry: entry && stamped(format, entry), claim })),
            { onEnd: arrivals.doubt(run_id) }
          ),
          (held) => {
            if (Option.isNone(held)) return Effect.succeedNone
            const all = entry === undefined ? entries : [...entries, entry]
            return Effect.asSome(
              restoreFor({ ...snapshot, attempt: held.value, entries: all, resumedAt: entries.length }, mode)
            )
          }
        )
      )
    },
    recover: arrivals.recover,
    handOver: Effect.suspend(() => {
      isClosing = true
      watching.wake()
      return Effect.forEach(executing.values(), Execution.handOver, { discard: true })
    }),
    isAble,
    whileAnswering: silence.orFail,
    watch: (request) => silence.orFail(watching.watch(request)),
    output: watching.output,
    cancel: Effect.fn("RunEngine.cancel")(function*({ filter, run_id, session_id }) {
      const found = Option.getOrUndefined(yield* silence.orFail(runs.requestCancel(run_id, session_id, filter)))
      const isFound = found !== undefined
      if (isFound && !executing.has(run_id)) signals.publish(cancelTopic)
      if (isFound) interrupt(run_id)
      else if (filter.owner._tag === "Anyone") intents.add(run_id)
      if (found?.status === "PAUSED") yield* cancelPaused({ run_id, session_id: found.session_id })
      return isFound
    })
  })
})
