// The service of `RunEngine`, composed of its parts.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Clock, Effect, Exit, Latch, Stream } from "effect"
import { ByteLimits } from "../../limits/ByteLimits.ts"
import { NewId } from "../../NewId.ts"
import * as BackgroundLoops from "../../node/BackgroundLoops.ts"
import * as DatabaseLiveness from "../../node/DatabaseLiveness.ts"
import { detached } from "../../node/detached.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import * as NodeSignals from "../../node/NodeSignals.ts"
import { Notifications } from "../../node/Notifications.ts"
import { retryUntilAvailable } from "../../node/retryUntilAvailable.ts"
import * as StorageState from "../../node/StorageState.ts"
import * as EventWriter from "../events/EventWriter.ts"
import * as RunFollower from "../events/RunFollower.ts"
import * as RunWatch from "../events/RunWatch.ts"
import { StoredFormat } from "../journal/StoredFormat.ts"
import * as LeaseAcquisition from "../leases/LeaseAcquisition.ts"
import * as Presence from "../leases/Presence.ts"
import * as NewRun from "../NewRun.ts"
import * as QueueRelease from "../queue/QueueRelease.ts"
import * as SessionQueue from "../queue/SessionQueue.ts"
import { limited, Runners } from "../Runners.ts"
import { StartLimits } from "../StartLimits.ts"
import * as Cancellation from "./Cancellation.ts"
import * as EngineCancel from "./EngineCancel.ts"
import * as EngineContinue from "./EngineContinue.ts"
import * as EngineGauges from "./EngineGauges.ts"
import * as EngineLoops from "./EngineLoops.ts"
import * as EngineStore from "./EngineStore.ts"
import * as Execution from "./Execution.ts"
import { JoinFailed } from "./JoinFailed.ts"
import * as PausedCancel from "./PausedCancel.ts"
import * as Reclaims from "./Reclaims.ts"
import * as RunAcceptance from "./RunAcceptance.ts"
import * as RunAdmission from "./RunAdmission.ts"
import type { CancelRequest, RunEngine, RunEngineOptions } from "./RunEngine.ts"
import * as RunExecutor from "./RunExecutor.ts"
import * as RunRecovery from "./RunRecovery.ts"
import * as RunResume from "./RunResume.ts"

/** The topic of signals of one run between nodes that share a database. */
const runTopic = (run: Run.Id) => `run ${run}`

export const make = Effect.fnUntraced(function*(options: RunEngineOptions) {
  const { drainTimeout, eventInterval, nodeTimeout } = options
  const runners = limited(yield* Runners, yield* ByteLimits)
  const format = yield* StoredFormat
  const limits = { ...RunRecovery.defaultLimits, ...options.limits }
  const isShared = options.isShared ?? nodeTimeout !== undefined
  const runs = yield* EngineStore.make
  const instruments = yield* Instruments
  const presence = yield* Presence.make({
    runs,
    name: options.node,
    identity: options.identity,
    isShared,
    nodeTimeout: NodeHeartbeat.takeoverAfter(nodeTimeout),
    components: runners.components,
    format: format.current
  })
  const { node } = presence
  const earlyCancels = Cancellation.makeEarlyCancels()
  const channel = yield* Notifications
  const signals = yield* NodeSignals.make(channel, channel === undefined ? node : (yield* NewId)())
  // with signals, polling only finds what they have missed
  const pollInterval = channel === undefined ? EngineLoops.shortPollInterval : "1 second"
  const startLimits = yield* StartLimits
  const queue = SessionQueue.make(runs, node, signals, startLimits)

  // Before the executor is made, so that it comes after that is closed: what it leaves is handed over.
  yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.timeout(runs.release(node), "5 seconds")))
  // when the executor is closed: waiting callers get the error that the run resumes elsewhere or later
  let [isStopping, isClosing] = [false, false]
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
  const cancelOf = (request: CancelRequest) => Effect.asVoid(Effect.suspend(() => cancel(request)))
  const eventsOf = (execution: Execution.Execution) => Stream.suspend(() => watching.eventsOf(execution))
  const reclaims = Reclaims.make()
  const hasUnstored = yield* Latch.make(false)
  const { awaitBusy, execute, executing, interrupt } = yield* RunExecutor.make({
    runs,
    turns: queue,
    database: options.database,
    drainTimeout,
    eventsOf,
    onPause,
    cancelOf,
    onStored: reclaims.ended,
    onUnstored: ({ givenUp, run_id }) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        reclaims.brokeOff(run_id, { time, isItsFault: givenUp !== "expired" })
        hasUnstored.openUnsafe()
      })
  })
  const following = {
    runs,
    interval: "25 millis",
    onFollow: (run: Run.Id, signal: () => void) => signals.follow(runTopic(run), signal)
  } as const
  const follower = RunFollower.make({ ...following, pollInterval, isOver: RunWatch.isSettled })
  const pauseFollower = RunFollower.make({ ...following, pollInterval: "1 second", isOver: Run.hasEnded })
  const watching = RunWatch.make({
    runs,
    executing,
    follower,
    pauseFollower,
    isStopping: () => isStopping,
    isClosing: () => isClosing,
    whileReplying: (statement) => liveness.orFail(statement)
  })
  const onPending = yield* EventWriter.make(runs, {
    interval: eventInterval ?? "5 millis",
    retryDelay: EngineLoops.shortPollInterval
  })
  yield* EngineGauges.observe(instruments, { executing, queue })
  const heartbeat = yield* NodeHeartbeat.make({ beat: presence.beat, nodeTimeout })
  const replyCount = (): number => liveness.replyCount()
  const probe = detached(runs.cancelRequested(node)).pipe(Effect.timeout("2 seconds"), Effect.exit)
  // callers without a credential can request it as well: at most one statement a second
  const isReplying = yield* Effect.suspend(() => {
    const before = replyCount()
    // in a long queue of statements others get a reply before this one
    return Effect.map(probe, (exit) => Exit.isSuccess(exit) || replyCount() > before)
  }).pipe(Effect.cachedWithTTL("1 second"))
  const isAble = Effect.suspend(() => heartbeat.hasExpired() ? Effect.succeed(false) : isReplying)
  const liveness = DatabaseLiveness.make(isAble)
  const onStored = (run: Run.Id) => signals.publish(runTopic(run))
  const executionParts: Execution.Dependencies = { runs, node: heartbeat, onPending, onStored, instruments }

  const room = options.admission ?? RunAdmission.make()
  const admission = room.join(executing)

  const { resume, resumeFor } = RunResume.make({
    runs,
    runners,
    reclaims,
    executionParts,
    count: admission.count,
    execute,
    cancelOf
  })

  const recover = RunRecovery.make({
    runs,
    limits,
    format,
    resume: (snapshot) => resume(snapshot, NewRun.modeOf(snapshot))
  })

  const acquisition = yield* LeaseAcquisition.make({
    runs,
    node,
    eligible: (isStarting) =>
      Effect.map(presence.eligible(isStarting), (nodes) => ({
        ...nodes,
        components: runners.components(),
        format: format.current,
        unservedAfter: limits.unservedTimeout
      })),
    executing,
    isQueued: queue.isQueued,
    maxRecovered: room.recovered,
    recover
  })

  const releaseQueued = QueueRelease.make({ runs, executing, queue })

  const cancelPaused = PausedCancel.make({
    runs,
    node,
    closeApprovals: runners.closeApprovals,
    into: (run_id, statement) => acquisition.acquire(run_id, statement, Effect.succeed),
    onEnd: ({ run_id, session_id }) =>
      Effect.andThen(Effect.sync(() => onStored(run_id)), queue.releaseNext(session_id, run_id))
  })

  const { cancel, cancelRequested } = EngineCancel.make({
    runs,
    node,
    executing,
    interrupt,
    acquisition,
    signals,
    liveness,
    earlyCancels,
    cancelPaused
  })

  const starting = { runs, node, format, heartbeat, acquisition, liveness, limits: startLimits }
  const accept = RunAcceptance.make({
    ...starting,
    runners,
    earlyCancels,
    executionParts,
    execute,
    interruptOthers: Effect.suspend(() => {
      signals.publish(EngineLoops.cancelTopic)
      return Effect.ignoreCause(cancelRequested)
    })
  })

  // no run is accepted before the first heartbeat: a node without one counts as dead
  const joining = Effect.tapError(presence.join, (failure) => Effect.flatMap(JoinFailed, (report) => report(failure)))
  yield* Effect.orDie(retryUntilAvailable(joining))
  yield* Effect.ignoreCause(heartbeat.send)
  // in fibers of their own: taken over runs can take long to start, and heartbeats must continue meanwhile
  yield* BackgroundLoops.fork(
    { incarnation: node },
    EngineLoops.make({
      runs,
      heartbeat,
      acquisition,
      takeOver: Effect.suspend(() => isStopping ? releaseQueued : acquisition.takeOver),
      executing,
      awaitBusy,
      queue,
      signals,
      follower,
      pauseFollower,
      liveness,
      reclaims,
      hasUnstored,
      storage: StorageState.make(),
      cancelRequested,
      pollInterval,
      nodeTimeout,
      isShared
    })
  )

  const engine: RunEngine["Service"] = {
    node: { ...presence, heartbeat, signals, takeoverInterval: EngineLoops.takeoverInterval(nodeTimeout) },
    start: (command) => admission.admit(command, accept(command)),
    continue: EngineContinue.make({ ...starting, resumeFor }),
    recover: acquisition.recover,
    endFollowing: Effect.suspend(() => {
      isStopping = true
      follower.wake()
      pauseFollower.wake()
      return releaseQueued
    }),
    handOver: Effect.suspend(() => {
      isClosing = true
      watching.wake()
      return Effect.forEach(executing.values(), Execution.handOver, { discard: true })
    }),
    isAble,
    whileReplying: liveness.orFail,
    watch: (request) => liveness.orFail(watching.watch(request)),
    output: watching.output,
    attemptOf: runs.attemptOf,
    cancel
  }
  return engine
})
