// The service of `RunEngine`: its parts, and the loops that run beside the requests.
import type * as AnyRun from "@svc/domain/AnyRun"
import type * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Clock, Effect, Exit, Latch, Option, Stream } from "effect"
import { ByteLimits } from "../ByteLimits.ts"
import { NewId } from "../NewId.ts"
import * as BackgroundLoops from "./BackgroundLoops.ts"
import * as Cancellation from "./Cancellation.ts"
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
import * as RunAcceptance from "./RunAcceptance.ts"
import * as RunAdmission from "./RunAdmission.ts"
import type { RunEngine, RunEngineOptions } from "./RunEngine.ts"
import * as RunFollower from "./RunFollower.ts"
import type { Runnable } from "./Runnable.ts"
import { Runners } from "./Runners.ts"
import * as RunRestart from "./RunRestart.ts"
import * as RunSignals from "./RunSignals.ts"
import { RunStore } from "./RunStore.ts"
import * as RunWatch from "./RunWatch.ts"
import * as SessionQueue from "./SessionQueue.ts"
import * as Silence from "./Silence.ts"
import * as StorageState from "./StorageState.ts"
import { stamped, StoredFormat } from "./StoredFormat.ts"
import * as Watchdog from "./Watchdog.ts"

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

export const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
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
  const queue = SessionQueue.make(runs, node, signals)
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
    turns: queue,
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
  const executionParts: Execution.Dependencies = { runs, node: lease, onPending, onStored }

  const room = options.admission ?? RunAdmission.make()
  const admission = room.join(executing)

  const { restoreAndStart, restoreFor } = RunRestart.make({
    runs,
    runners,
    reclaims,
    executionParts,
    count: admission.count,
    execute
  })

  const restore = Restoring.make({
    runs,
    limits,
    format,
    resume: (snapshot) => restoreAndStart(snapshot, NewRun.modeOf(snapshot))
  })

  const acquisition = yield* LeaseAcquisition.make({
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
    isQueued: queue.isQueued,
    mostRecovered: room.recovered,
    restore
  })

  const cancelPaused = PausedCancel.make({
    runs,
    node,
    closeApprovals: runners.closeApprovals,
    into: (run_id, statement) => acquisition.into(run_id, statement, Effect.succeed),
    onEnd: ({ run_id, session_id }) =>
      Effect.andThen(Effect.sync(() => onStored(run_id)), queue.releaseNext(session_id, run_id))
  })

  // Requests reach the node that executes a run through the store, so that any node can take them.
  const interruptWanted = Effect.flatMap(runs.cancelRequested(node), (wanted) => {
    interrupt(...wanted)
    // stored under this node, and not executed here
    const isUnknown = wanted.some((run) => !executing.has(run) && !acquisition.isComing(run))
    return isUnknown ? acquisition.doubt() : Effect.void
  })

  const whileAlive = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => lease.hasExpired() ? RunAcceptance.expired : effect)

  const accept = RunAcceptance.make({
    runs,
    runners,
    node,
    format,
    lease,
    acquisition,
    silence,
    intents,
    executionParts,
    execute,
    interruptOthers: Effect.suspend(() => {
      signals.publish(cancelTopic)
      return Effect.ignoreCause(interruptWanted)
    })
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
  const loseWaiting = Effect.suspend(() => loseAmong(queue.waiting().flatMap((id) => executing.get(id) ?? [])))

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
  const reclaim = Effect.andThen(whileAlive(acquisition.recover), acquisition.settle).pipe(
    Effect.onExit(({ _tag }) => Effect.sync(() => (failedReclaims = _tag === "Success" ? 0 : failedReclaims + 1)))
  )
  // in fibers of their own: taken over runs can take long to start, and heartbeats must continue meanwhile
  yield* BackgroundLoops.fork({ node }, {
    ...signals.loops,
    ...follower.loops,
    silence: silence.loop,
    sessionQueue: { when: Effect.andThen(queue.isWaiting, Effect.sleep(pollInterval)), task: queue.poll, every: 0 },
    signalledTurns: { when: queue.isSignalled, task: queue.takeSignalled, every: "10 millis" },
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
    reclaim: { when: Effect.andThen(acquisition.doubts, pauseBeforeReclaim), task: reclaim, every: quickPoll },
    unstored: {
      when: hasUnstored.await,
      task: Effect.flatMap(Clock.currentTimeMillis, (time) => {
        if (lease.hasExpired()) return Effect.void
        const isAnyDue = reclaims.takeDue(time)
        if (!reclaims.areWaiting()) hasUnstored.closeUnsafe()
        return isAnyDue ? acquisition.doubt() : Effect.void
      }),
      every: quickPoll
    },
    // what was given back for a while is acquired again, also where there is no other node
    takeover: { when: Effect.sleep(pause), task: whileAlive(acquisition.takeOver), every: 0 },
    // and so is a queued run that the store has given back, whose caller waits here
    lostLeases: { when: Effect.andThen(queue.isWaiting, Effect.sleep(pause)), task: loseWaiting, every: 0 },
    ...(isShared
      ? {
        heartbeat: { task: lease.heartbeat, every: pause, probes: storage },
        watchdog: {
          task: Watchdog.make({
            executing,
            lease,
            giveUpLost: Effect.suspend(() => loseAmong([...executing.values()])),
            timeout: pause,
            onRecovered: acquisition.doubt()
          }),
          every: watchEvery
        }
      }
      : {})
  })

  const engine: RunEngine["Service"] = {
    node: { node, lease, scope: presence.scope, signals, takeoverInterval },
    start: (command) => admission.admit(command, accept(command)),
    continue: ({ claim, entry, snapshot, ...mode }) =>
      Effect.suspend(() => {
        const { attempt, entries, run_id } = snapshot
        let isLeft = false
        const isAbandoned = () => isLeft
        const stored = entry && stamped(format, entry)
        return Effect.uninterruptible(
          acquisition.into(
            run_id,
            silence.orLeave(
              whileAlive(runs.resume({ run_id, attempt, node, entry: stored, claim, isAbandoned })),
              { onLeave: () => (isLeft = true), onEnd: acquisition.doubt(run_id) }
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
      }),
    recover: acquisition.recover,
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
  }
  return engine
})
