// The loops of a node that run beside the requests, as one table.
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, type Duration, Effect, Latch } from "effect"
import type { Loop } from "../../node/BackgroundLoops.ts"
import type { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import type { NodeSignals } from "../../node/NodeSignals.ts"
import type { StorageState } from "../../node/StorageState.ts"
import type { RunFollower } from "../events/RunFollower.ts"
import type { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import * as Watchdog from "../leases/Watchdog.ts"
import type { SessionQueue } from "../queue/SessionQueue.ts"
import type { RunLog } from "../store/RunLog.ts"
import * as Execution from "./Execution.ts"
import type { Reclaims } from "./Reclaims.ts"

/** The interval of checks for cancel requests of runs that are executed here. */
export const shortPollInterval = "250 millis"

/** The topic of signals between nodes that share a database. */
export const cancelTopic = "cancel"

/** The interval of these checks on a node that executes nothing. */
const idleEvery = "5 seconds"

/** In seconds, for the interval of heartbeats if nodes never count as dead. */
const defaultNodeTimeout = 8

/** In seconds. */
export const takeoverInterval = (nodeTimeout: number | undefined): number =>
  Math.max(0.25, (nodeTimeout ?? defaultNodeTimeout) / 4)

export interface Dependencies {
  readonly runs: RunLog["Service"]
  readonly heartbeat: NodeHeartbeat.NodeHeartbeat
  readonly acquisition: LeaseAcquisition
  /** What the node does at the interval of takeovers. */
  readonly takeOver: Effect.Effect<void, StorageUnavailable>
  readonly executing: ReadonlyMap<Run.Id, Execution.Execution>
  /** Waits until the node executes a run. */
  readonly awaitBusy: Effect.Effect<void>
  readonly queue: SessionQueue
  readonly signals: NodeSignals
  readonly follower: RunFollower
  readonly pauseFollower: RunFollower
  readonly liveness: DatabaseLiveness
  readonly reclaims: Reclaims
  /** Open while runs whose end is not stored wait for another attempt. */
  readonly hasUnstored: Latch.Latch
  readonly storage: StorageState
  /** Cancels the runs of the node that have a cancel request. */
  readonly cancelRequested: Effect.Effect<void, StorageUnavailable>
  readonly pollInterval: Duration.Input
  readonly nodeTimeout: number | undefined
  /** Whether other nodes use the same database. */
  readonly isShared: boolean
}

export const make = (dependencies: Dependencies): Readonly<Record<string, Loop>> => {
  const { acquisition, executing, hasUnstored, heartbeat, nodeTimeout, pollInterval, queue, reclaims, runs } =
    dependencies
  const { awaitBusy, cancelRequested, isShared, signals, liveness, storage, takeOver } = dependencies
  const { follower, pauseFollower } = dependencies
  const pause = `${takeoverInterval(nodeTimeout)} seconds` as const
  const watchEvery = `${Math.max(0.1, (nodeTimeout ?? defaultNodeTimeout) / 16)} seconds` as const
  const isCancelSignalled = Latch.makeUnsafe(false)
  signals.follow(cancelTopic, () => isCancelSignalled.openUnsafe())

  /** Stops the runs that other nodes have acquired. */
  const loseAmong = (executions: ReadonlyArray<Execution.Execution>) => {
    if (executions.length === 0) return Effect.void
    const leases = executions.map(({ attempt, run_id }) => ({ run_id, attempt, events: [] }))
    return Effect.flatMap(runs.appendEvents(leases), (held) => {
      const isHeld = Execution.leaseCheck(held)
      const lost = executions.filter((execution) => !execution.isEnding && !isHeld(execution))
      return Effect.forEach(lost, Execution.loseLease, { discard: true })
    })
  }

  // A run that is executed notices at its next step that another node has acquired it. A queued run has no step.
  const loseWaiting = Effect.suspend(() => loseAmong(queue.waiting().flatMap((id) => executing.get(id) ?? [])))

  // each try raises the attempts of what it acquires
  let failedReclaims = 0
  const pauseBeforeReclaim = Effect.suspend(() => Effect.sleep(Math.min(8000, 250 * 2 ** failedReclaims)))
  const reclaim = Effect.andThen(NodeHeartbeat.whileAlive(heartbeat, acquisition.recover), acquisition.clearUncertain)
    .pipe(
      Effect.onExit(({ _tag }) =>
        Effect.sync(() => {
          failedReclaims = _tag === "Success" ? 0 : failedReclaims + 1
        })
      )
    )

  const retryUnstored = Effect.flatMap(Clock.currentTimeMillis, (time) => {
    if (heartbeat.hasExpired()) return Effect.void
    const isAnyDue = reclaims.takeDue(time)
    if (!reclaims.areWaiting()) hasUnstored.closeUnsafe()
    return isAnyDue ? acquisition.markUncertain() : Effect.void
  })

  const shared: Readonly<Record<string, Loop>> = {
    heartbeat: { task: heartbeat.send, every: pause, probes: storage },
    watchdog: {
      task: Watchdog.make({
        executing,
        heartbeat,
        giveUpLost: Effect.suspend(() => loseAmong([...executing.values()])),
        timeout: pause,
        isStorageAway: storage.isAway,
        onRecovered: acquisition.markUncertain()
      }),
      every: watchEvery
    }
  }

  return {
    ...signals.loops,
    ...follower.loops,
    readPaused: pauseFollower.loops.readSignalled,
    pollPaused: pauseFollower.loops.pollFollowed,
    liveness: liveness.loop,
    sessionQueue: { when: Effect.andThen(queue.awaitQueued, Effect.sleep(pollInterval)), task: queue.poll, every: 0 },
    signalledTurns: { when: queue.awaitSignalled, task: queue.takeSignalled, every: "10 millis" },
    // an idle node checks this too: a run that it does not execute can be stored under its name
    cancellations: {
      when: Effect.raceFirst(awaitBusy, Effect.sleep(idleEvery)),
      task: cancelRequested,
      every: pollInterval,
      probes: storage
    },
    signalledCancellations: {
      when: Effect.tap(isCancelSignalled.await, () => Effect.sync(() => isCancelSignalled.closeUnsafe())),
      task: cancelRequested,
      every: "10 millis"
    },
    reclaim: {
      when: Effect.andThen(acquisition.awaitUncertain, pauseBeforeReclaim),
      task: reclaim,
      every: shortPollInterval
    },
    unstored: { when: hasUnstored.await, task: retryUnstored, every: shortPollInterval },
    // a released run is acquired again, also where there is no other node
    takeover: { when: Effect.sleep(pause), task: NodeHeartbeat.whileAlive(heartbeat, takeOver), every: 0 },
    // and so is a queued run that the store has released, whose caller waits here
    lostLeases: { when: Effect.andThen(queue.awaitQueued, Effect.sleep(pause)), task: loseWaiting, every: 0 },
    ...(isShared ? shared : {})
  }
}
