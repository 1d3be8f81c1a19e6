// The queued runs of this process. When a dequeued run has ended, the next one is dequeued at once; while
// runs before them are executed by other nodes, the store is polled for their end.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Deferred, Effect, Latch, Layer } from "effect"
import { EngineSettings } from "../engine/EngineSettings.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import { RunLifecycle } from "../store/RunLifecycle.ts"
import type { Finished, RunCompletion, StartSnapshot } from "../store/RunWrites.ts"

export interface QueuedRun {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export class SessionQueue extends Context.Service<SessionQueue, {
  /** Returns when the run is dequeued, with the session state and the history that it starts with. */
  readonly wait: (place: QueuedRun) => Effect.Effect<StartSnapshot>
  /** Stores the end of a run, and starts the next one of its session. False: the lease of the run is not held. */
  readonly finish: (session: Session.Id, ending: RunCompletion) => Effect.Effect<boolean, StorageUnavailable>
  /** A run of the session has ended here. */
  readonly releaseNext: (session: Session.Id, ended: Run.Id) => Effect.Effect<void>
  /** Whether it waits for its turn. */
  readonly isQueued: (run: Run.Id) => boolean
  /** The queued runs. */
  readonly waiting: () => ReadonlyArray<Run.Id>
  /** Polls the store once for dequeued runs: other nodes may have ended the runs before them. */
  readonly poll: Effect.Effect<void, StorageUnavailable>
  /** Returns when a run is queued. */
  readonly awaitQueued: Effect.Effect<void>
  /** The same for sessions in which another node has ended a run. */
  readonly takeSignalled: Effect.Effect<void, StorageUnavailable>
  /** Returns when there are such sessions. */
  readonly awaitSignalled: Effect.Effect<void>
}>()("@svc-runtime/engine/run/queue/SessionQueue") {
  static readonly layer: Layer.Layer<SessionQueue, never, EngineSettings | RunLifecycle | ThisNode> = Layer.effect(
    SessionQueue,
    Effect.suspend(() => make)
  )
}

const topicOf = (session: Session.Id) => `session ${session}`

/** Milliseconds between checks for room, where runs wait for it, and where another node may have left such runs. */
const roomEvery = { queue: 250, refuse: 10_000 } as const

const make = Effect.gen(function*() {
  const runs = yield* RunLifecycle
  const { node, signals } = yield* ThisNode
  const { startLimits: { whenExceeded = "refuse" } } = yield* EngineSettings
  const waiting = new Map<Session.Id, Map<Run.Id, Deferred.Deferred<StartSnapshot>>>()
  /** Turns that were granted before `wait` was called. */
  const early = new Map<Run.Id, StartSnapshot>()
  /** The next run of each run whose end is stored: it was dequeued with the end. */
  const next = new Map<Run.Id, Exclude<Finished["next"], undefined>>()
  /** Open while a run is queued. */
  const isWaiting = Latch.makeUnsafe(false)
  const signalled = new Set<Session.Id>()
  const isSignalled = Latch.makeUnsafe(false)
  /** Ends the signals of each session in `waiting`. */
  const unfollow = new Map<Session.Id, () => void>()

  const find = (run: Run.Id): Deferred.Deferred<StartSnapshot> | undefined => {
    for (const queue of waiting.values()) if (queue.has(run)) return queue.get(run)
    return undefined
  }

  const start = (run: Run.Id, snapshot: StartSnapshot) => {
    const turn = find(run)
    if (turn === undefined) early.set(run, snapshot)
    else Deferred.doneUnsafe(turn, Effect.succeed(snapshot))
  }

  // A dequeued run is started even if the fiber that dequeued it is interrupted. `poll` repeats a dequeue that failed
  // or whose reply was lost.
  const take = (sessions: ReadonlyArray<Session.Id>, unsure: ReadonlyArray<Run.Id> = []) =>
    runs.dequeue({ node, sessions, uncertain: unsure }).pipe(
      Effect.map((turns) => {
        for (const { run_id, ...snapshot } of turns) start(run_id, snapshot)
      }),
      Effect.uninterruptible
    )

  /** After any failure `poll` repeats it and logs the failure. */
  const tryToTake = (session: Session.Id) => Effect.ignoreCause(take([session]))

  const takeAfter = (session: Session.Id, ended: Run.Id) => {
    const dequeued = next.get(ended)
    next.delete(ended)
    if (dequeued === undefined) return waiting.has(session) ? tryToTake(session) : Effect.void
    return dequeued.snapshot === undefined ? Effect.ignoreCause(take([], [dequeued.run_id])) : Effect.void
  }

  let lookedAt = Number.NEGATIVE_INFINITY

  /** Gives room to runs that wait for it. Their turns are taken by the poll that follows. */
  const admit = Effect.flatMap(Monotonic.millis, (now) => {
    if (now - lookedAt < roomEvery[whenExceeded]) return Effect.void
    lookedAt = now
    return Effect.asVoid(runs.admitWaiting(node))
  })

  const all = () => [...waiting.values()].flatMap((queue) => [...queue.keys()])

  const enter = ({ run_id, session_id }: QueuedRun) => {
    const turn = Deferred.makeUnsafe<StartSnapshot>()
    const queue = waiting.get(session_id) ?? new Map<Run.Id, Deferred.Deferred<StartSnapshot>>()
    waiting.set(session_id, queue.set(run_id, turn))
    const snapshot = early.get(run_id)
    if (early.delete(run_id) && snapshot !== undefined) Deferred.doneUnsafe(turn, Effect.succeed(snapshot))
    isWaiting.openUnsafe()
    if (!unfollow.has(session_id)) {
      const onSignal = () => {
        signalled.add(session_id)
        isSignalled.openUnsafe()
      }
      unfollow.set(session_id, signals.follow(topicOf(session_id), onSignal))
    }
    return turn
  }

  const leave = ({ run_id, session_id }: QueuedRun) => {
    const queue = waiting.get(session_id)
    queue?.delete(run_id)
    if (queue?.size === 0) {
      waiting.delete(session_id)
      unfollow.get(session_id)?.()
      unfollow.delete(session_id)
    }
    if (waiting.size === 0) isWaiting.closeUnsafe()
  }

  return SessionQueue.of({
    // The run before it may have ended between the two moments at which this one was stored and is here. Another queued
    // run of the session has asked for that already, and whatever ends since then asks again.
    wait: (place) =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(place)),
        (turn) =>
          waiting.get(place.session_id)?.size === 1
            ? Effect.andThen(tryToTake(place.session_id), Deferred.await(turn))
            : Deferred.await(turn),
        () => Effect.sync(() => leave(place))
      ),
    finish: (session, ending) =>
      Effect.suspend(() => {
        if (!waiting.has(session)) return runs.finish(ending)
        return Effect.map(runs.finishAndDequeue(ending, node), (finished) => {
          if (finished.next !== undefined) {
            const { run_id, snapshot } = finished.next
            next.set(ending.run.run_id, finished.next)
            if (snapshot !== undefined) start(run_id, snapshot)
          }
          return finished.isHeld
        })
      }),
    releaseNext: (session, ended) =>
      Effect.andThen(
        Effect.suspend(() => takeAfter(session, ended)),
        Effect.sync(() => signals.publish(topicOf(session)))
      ),
    isQueued: (run) => {
      const turn = find(run)
      return turn !== undefined && !Deferred.isDoneUnsafe(turn)
    },
    waiting: all,
    poll: Effect.andThen(admit, Effect.suspend(() => take([...waiting.keys()], all()))),
    awaitQueued: isWaiting.await,
    takeSignalled: Effect.suspend(() => {
      isSignalled.closeUnsafe()
      const sessions = [...signalled].filter((session) => waiting.has(session))
      signalled.clear()
      return sessions.length === 0 ? Effect.void : take(sessions)
    }),
    awaitSignalled: isSignalled.await
  })
})
