// The loops of a node that run beside the requests, as one table.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Effect, Latch } from "effect"
import * as BackgroundLoops from "../../node/BackgroundLoops.ts"
import { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import { RunWatch } from "../events/RunWatch.ts"
import { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import { shortPollInterval, ThisNode } from "../leases/ThisNode.ts"
import * as Watchdog from "../leases/Watchdog.ts"
import { QueueRelease } from "../queue/QueueRelease.ts"
import { SessionQueue } from "../queue/SessionQueue.ts"
import { RunLog } from "../store/RunLog.ts"
import { BrokenOffRuns } from "./BrokenOffRuns.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as Execution from "./Execution.ts"
import { Executions } from "./Executions.ts"
import { cancelTopic, RunCancels } from "./RunCancels.ts"
import { RunRecovery } from "./RunRecovery.ts"

/** The interval of checks for cancel requests on a node that executes nothing. */
const idleEvery = "5 seconds"

const makeLoops = Effect.gen(function*() {
  const { isShared, takeoverInterval, watchdogInterval } = yield* EngineSettings
  const { awaitTurn, heartbeat, pollInterval, signals } = yield* ThisNode
  const [log, executions, queue, watch] = [yield* RunLog, yield* Executions, yield* SessionQueue, yield* RunWatch]
  const { awaitBusy, executing } = executions
  const { isAway, loop: liveness, probes } = yield* DatabaseLiveness
  const [acquisition, brokenOff, recovery] = [yield* LeaseAcquisition, yield* BrokenOffRuns, yield* RunRecovery]
  const { cancelRequested } = yield* RunCancels
  const { releaseQueued } = yield* QueueRelease
  const pause = `${takeoverInterval} seconds` as const
  const isCancelSignalled = Latch.makeUnsafe(false)
  signals.follow(cancelTopic, () => isCancelSignalled.openUnsafe())

  /** Stops the runs that other nodes have acquired. Returns how many those are. */
  const loseAmong = (among: ReadonlyArray<Execution.Execution>) => {
    if (among.length === 0) return Effect.succeed(0)
    const leases = among.map(({ attempt, run_id }) => ({ run_id, attempt, events: [] }))
    return Effect.flatMap(log.appendEvents(leases), (held) => {
      const isHeld = Execution.leaseCheck(held)
      const lost = among.filter((execution) => !execution.isEnding && !isHeld(execution))
      return Effect.as(Effect.forEach(lost, Execution.loseLease, { discard: true }), lost.length)
    })
  }

  // A run that is executed notices at its next step that another node has acquired it. A queued run has no step.
  const loseWaiting = Effect.suspend(() => loseAmong(queue.waiting().flatMap((id) => executing.get(id) ?? [])))

  // each try raises the attempts of what it acquires
  let failedTries = 0
  const pauseBeforeTry = Effect.suspend(() => Effect.sleep(Math.min(8000, 250 * 2 ** failedTries)))
  const acquireUncertain = NodeHeartbeat.whileAlive(heartbeat, acquisition.recover(recovery)).pipe(
    Effect.andThen(acquisition.clearUncertain),
    Effect.onExit(({ _tag }) =>
      Effect.sync(() => {
        failedTries = _tag === "Success" ? 0 : failedTries + 1
      })
    )
  )

  const retryUnstored = Effect.flatMap(Monotonic.millis, (time) => {
    if (heartbeat.hasExpired()) return Effect.void
    return brokenOff.takeDue(time) ? acquisition.markUncertain() : Effect.void
  })

  const takeOver = Effect.suspend(() => executions.isStopping ? releaseQueued : acquisition.takeOver(recovery))

  const shared: Readonly<Record<string, BackgroundLoops.Loop>> = {
    heartbeat: { task: heartbeat.send, every: pause, retryEvery: `${takeoverInterval / 4} seconds`, probes },
    watchdog: {
      task: Watchdog.make({
        heartbeat,
        giveUpLost: Effect.suspend(() => loseAmong([...executing.values()])),
        timeout: pause,
        isStorageAway: isAway,
        onRecovered: acquisition.markUncertain()
      }),
      every: `${watchdogInterval} seconds`
    }
  }

  const loops: Readonly<Record<string, BackgroundLoops.Loop | undefined>> = {
    ...signals.loops,
    ...watch.loops,
    liveness,
    sessionQueue: { when: Effect.andThen(queue.awaitQueued, Effect.sleep(pollInterval)), task: queue.poll, every: 0 },
    signalledTurns: { when: queue.awaitSignalled, task: queue.takeSignalled, every: "10 millis" },
    // an idle node checks this too: a run that it does not execute can be stored under its name
    cancellations: {
      when: Effect.raceFirst(awaitBusy, Effect.sleep(idleEvery)),
      task: cancelRequested,
      every: pollInterval,
      probes
    },
    signalledCancellations: {
      when: Effect.tap(isCancelSignalled.await, () => Effect.sync(() => isCancelSignalled.closeUnsafe())),
      task: cancelRequested,
      every: "10 millis"
    },
    uncertain: {
      when: Effect.andThen(acquisition.awaitUncertain, pauseBeforeTry),
      task: acquireUncertain,
      every: shortPollInterval
    },
    unstored: { when: brokenOff.awaitAny, task: retryUnstored, every: shortPollInterval },
    // a released run is acquired again, also where there is no other node
    takeover: { when: awaitTurn(pause), task: NodeHeartbeat.whileAlive(heartbeat, takeOver), every: 0 },
    // and so is a queued run that the store has released, whose caller waits here
    lostLeases: { when: Effect.andThen(queue.awaitQueued, Effect.sleep(pause)), task: loseWaiting, every: 0 },
    ...(isShared ? shared : {})
  }
  return loops
})

/** Each loop has a fiber of its own: taken over runs can take long to start, and heartbeats must continue meanwhile. */
export const fork = Effect.gen(function*() {
  const { node } = yield* ThisNode
  yield* BackgroundLoops.fork({ incarnation: node }, yield* makeLoops)
})
