// The runs whose leases this node acquires: runs that it accepts or continues, and runs that it takes over. A statement
// whose reply is lost may have acquired a run without this node knowing: it asks the store for those runs.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Cause, Context, Effect, Fiber, FiberSet, Latch, Layer, type Scope, Semaphore } from "effect"
import type { Acquired, Takeover } from "../../node/LeasedRuns.ts"
import { EngineAdmission } from "../engine/EngineAdmission.ts"
import { EngineSettings } from "../engine/EngineSettings.ts"
import { Executions } from "../engine/Executions.ts"
import { StoredFormat } from "../journal/StoredFormat.ts"
import { SessionQueue } from "../queue/SessionQueue.ts"
import { Runners } from "../Runners.ts"
import { RunLeases } from "../store/RunLeases.ts"
import * as LostNodes from "./LostNodes.ts"
import { ThisNode } from "./ThisNode.ts"
import * as UncertainRuns from "./UncertainRuns.ts"

/** What happens to the runs that are taken over. */
export interface Recovery {
  /** Fails when nothing could be stored about the run. */
  readonly recover: (acquired: Acquired) => Effect.Effect<void, StorageUnavailable>
  /** The acquired runs that are being recovered. */
  readonly recovering: FiberSet.FiberSet<void>
}

type Acquire = <A, E, B, F>(
  run_id: Run.Id,
  statement: Effect.Effect<A, E>,
  andThen: (reply: A) => Effect.Effect<B, F>
) => Effect.Effect<B, E | F>

export class LeaseAcquisition extends Context.Service<LeaseAcquisition, {
  /** Acquires a new run by a statement that may have done so even if it fails. */
  readonly acquire: Acquire
  /** The same with a run that is known to be stored: it counts as accepted, also if this node has refused it. */
  readonly acquireStored: Acquire
  /** So many runs may be stored without this node knowing that no other one may be accepted. */
  readonly isFull: () => boolean
  /**
   * A caller gets the error that a run is not accepted, although it may have been: it is ended if it is found. A run
   * with the same id that another start has stored is not.
   */
  readonly refuse: (run: Run.Id, begin_id: string) => Effect.Effect<void>
  /** This node may hold the run without knowing, or any run when it is left out: it is executed if it is found. */
  readonly markUncertain: (run?: Run.Id) => Effect.Effect<void>
  /** A run is acquired here, and not executed yet. */
  readonly isPending: (run: Run.Id) => boolean
  /** Acquires runs that no node executes, and recovers them in the background. */
  readonly takeOver: (recovery: Recovery) => Effect.Effect<void, StorageUnavailable>
  /** The same with runs that are stored under this node's name and that it does not execute. Returns after the last. */
  readonly recover: (recovery: Recovery) => Effect.Effect<number, StorageUnavailable>
  /** Returns when there may be runs that this node holds without knowing. */
  readonly awaitUncertain: Effect.Effect<void>
  /** Called when those are acquired that are stored. */
  readonly clearUncertain: Effect.Effect<void>
}>()("@svc-runtime/engine/run/leases/LeaseAcquisition") {
  static readonly layer: Layer.Layer<
    LeaseAcquisition,
    never,
    EngineAdmission | EngineSettings | Executions | RunLeases | Runners | SessionQueue | ThisNode
  > = Layer.effect(
    LeaseAcquisition,
    Effect.gen(function*() {
      const { guest, limits: { unservedTimeout: unservedAfter } } = yield* EngineSettings
      const { current: format } = yield* StoredFormat
      const { components } = yield* Runners
      const { eligible, node, rareness } = yield* ThisNode
      const { executing } = yield* Executions
      const { isQueued } = yield* SessionQueue
      const { recovered: maxRecovered } = yield* EngineAdmission
      return yield* make({
        leases: yield* RunLeases,
        node,
        eligible: (isStarting) =>
          Effect.map(
            eligible(isStarting),
            // a node that is not steady does not know which others live
            (deaths) => ({
              ...deaths,
              components: components(),
              format,
              guest: guest?.nodes,
              unservedAfter: deaths.isSteady === false || guest !== undefined ? undefined : unservedAfter
            })
          ),
        rareness,
        executing,
        isQueued,
        maxRecovered
      })
    })
  )
}

export interface Options {
  readonly leases: RunLeases["Service"]
  readonly node: string
  /** The runs that this node may take over. */
  readonly eligible: (isStarting: boolean) => Effect.Effect<
    Pick<Takeover, "isSteady" | "dead" | "components" | "format" | "guest" | "unservedAfter">,
    StorageUnavailable
  >
  /** Of `CurrentNode`. */
  readonly rareness: () => number
  readonly executing: ReadonlyMap<Run.Id, unknown>
  /** Whether an executing run waits for its turn in its session. */
  readonly isQueued: (run: Run.Id) => boolean
  /** How many acquired runs are executed at once, without queued ones. */
  readonly maxRecovered: number
}

/** A node that stops looks for no run that may have been stored: it releases all that are stored under its name. */
const isUncertain = (error: unknown): boolean => isStorageUnavailable(error) && error.uncertainRun === undefined

/** How many runs are acquired at most by one statement, and how many are recovered at once. */
const pageSize = 100
const maxRecovering = 2 * pageSize

/** Between its pages, one of many nodes leaves time to others, so that one node does not get all runs. */
const pagePause = "250 millis"

/** The pause between pages of suspect runs, which may crash their nodes. */
const suspectPause = "1 second"

export const make = Effect.fnUntraced(function*(
  { eligible, executing, isQueued, leases, maxRecovered, node, rareness }: Options
): Effect.fn.Return<LeaseAcquisition["Service"], never, Scope.Scope> {
  /** Not executed yet. */
  const pending = new Set<{ readonly run_id: Run.Id }>()
  const uncertain = UncertainRuns.make()
  /** Closed while this node acquires all runs that are stored under its name and unknown to it. */
  const gate = yield* Latch.make(true)
  const takeoverLock = yield* Semaphore.make(1)
  const permits = yield* Semaphore.make(maxRecovering)
  /** Acquired runs that are recovered or executed here. */
  const recovered = new Map<Run.Id, Acquired>()
  const lostNodes = LostNodes.make(node, yield* Instruments)

  const markUncertain = (run?: Run.Id) => Effect.sync(() => uncertain.mark(run))

  const enter = (entry: { readonly run_id: Run.Id }): Effect.Effect<void> =>
    Effect.suspend(() => {
      // it may be closed again when the waiting fibers wake up
      if (!gate.isOpen()) return Effect.andThen(gate.await, enter(entry))
      pending.add(entry)
      return Effect.void
    })

  const acquire: Acquire = (run_id, statement, andThen) => {
    const entry = { run_id }
    return Effect.andThen(enter(entry), statement).pipe(
      Effect.tapError((error) => isUncertain(error) ? markUncertain(run_id) : Effect.void),
      Effect.flatMap(andThen),
      Effect.tap(() =>
        Effect.sync(() => {
          if (executing.has(run_id)) uncertain.forget(run_id)
        })
      ),
      Effect.ensuring(Effect.sync(() => pending.delete(entry)))
    )
  }

  type TakeoverOptions = Omit<Takeover, "node">

  const acquireLeases = (takeover: TakeoverOptions) =>
    Effect.tap(
      leases.takeOver({ node, ...takeover }),
      (taken) =>
        Effect.suspend(() => {
          for (const run of taken) {
            // another node has accepted it
            if (run.holder !== node) uncertain.forget(run.run_id)
            pending.add(run)
            recovered.set(run.run_id, run)
          }
          return lostNodes.took(taken)
        })
    )

  const known = () => [...executing.keys(), ...[...pending].map(({ run_id }) => run_id)]

  /** No run is accepted meanwhile: the statement would take it for an unknown run. */
  const acquireUnknown = (takeover: TakeoverOptions) =>
    Effect.suspend(() => {
      gate.closeUnsafe()
      return acquireLeases({ ...takeover, isStarting: true, except: known() })
    }).pipe(Effect.ensuring(gate.open))

  const acquireOwn = (takeover: TakeoverOptions) =>
    Effect.flatMap(uncertain.due, ({ runs }) => {
      if (runs === undefined) return acquireUnknown(takeover)
      const only = [...runs].filter((run) => !executing.has(run))
      return acquireLeases({ ...takeover, isStarting: true, except: known(), only })
    })

  const unstored = ({ run_id, session_id }: Acquired, cause: Cause.Cause<unknown>) =>
    Effect.annotateLogs(
      Effect.logError("An acquired run could not be stored; it is acquired again", cause),
      { run_id, session_id }
    )

  /** Stored, so that it is ended by each node that acquires it after this one. */
  const cancelRefused = ({ begin_id, run_id, session_id }: Acquired) =>
    Effect.suspend(() =>
      uncertain.isRefused(run_id, begin_id)
        ? leases.requestCancel(run_id, session_id, { owner: Owner.anyone })
        : Effect.void
    )

  const begin = (acquired: Acquired, { recover }: Recovery) =>
    permits.withPermit(Effect.andThen(cancelRefused(acquired), recover(acquired))).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.andThen(unstored(acquired, cause), markUncertain(acquired.run_id))
      ),
      Effect.ensuring(Effect.sync(() => pending.delete(acquired)))
    )

  /** How many runs may be acquired now. At least one: it waits until one that was acquired before has ended. */
  const room: Effect.Effect<number> = Effect.suspend(() => {
    let active = 0
    for (const [run, acquired] of recovered) {
      if (pending.has(acquired)) active++
      else if (!executing.has(run)) recovered.delete(run)
      else if (!isQueued(run)) active++
    }
    return active < maxRecovered
      ? Effect.succeed(maxRecovered - active)
      : Effect.andThen(Effect.sleep("100 millis"), room)
  })

  type Fibers = ReadonlyArray<Fiber.Fiber<void>>

  /** One statement at a time, so that none acquires the runs of another one again. */
  const page = (
    take: (takeover: TakeoverOptions) => Effect.Effect<ReadonlyArray<Acquired>, StorageUnavailable>,
    takeover: TakeoverOptions,
    recovery: Recovery
  ) =>
    Effect.andThen(
      permits.withPermits(Math.min(takeover.limit, pageSize))(Effect.void),
      takeoverLock.withPermit(take(takeover)).pipe(
        Effect.flatMap(Effect.forEach((acquired) => FiberSet.run(recovery.recovering, begin(acquired, recovery)))),
        Effect.onError(() => markUncertain()),
        Effect.uninterruptible
      )
    )

  /**
   * Runs that lost several nodes come last, few at a time: one of them may crash its nodes, and the others must not
   * count a takeover for it.
   */
  const takeOver = Effect.fnUntraced(function*(isStarting: boolean, recovery: Recovery) {
    const takeover = yield* eligible(isStarting)
    const take = isStarting ? acquireOwn : acquireLeases
    let mayHold = isStarting && (yield* uncertain.due).runs?.size !== 0
    const fibers: Array<Fiber.Fiber<void>> = []
    for (const suspects of [false, true]) {
      const share = isStarting ? 1 : rareness()
      let largest = suspects ? 1 : Math.ceil(pageSize / share)
      for (;;) {
        // what this node may hold without knowing waits for no room: callers wait for it
        const limit = mayHold ? largest : Math.min(largest, yield* room)
        mayHold = false
        const taken: Fibers = yield* page(take, { ...takeover, isStarting, suspects, limit }, recovery)
        fibers.push(...taken)
        if (taken.length < limit) break
        if (suspects) {
          yield* Effect.sleep(suspectPause)
          largest = Math.min(2 * largest, pageSize)
        } else if (share > 1) {
          yield* Effect.sleep(pagePause)
        }
      }
    }
    yield* lostNodes.ended
    return fibers
  })

  return {
    acquire,
    acquireStored: (run_id, ...acquiring) =>
      Effect.suspend(() => {
        uncertain.accepted(run_id)
        return acquire(run_id, ...acquiring)
      }),
    isFull: uncertain.isFull,
    refuse: (run, begin_id) =>
      Effect.sync(() => {
        if (!executing.has(run)) uncertain.refuse(run, begin_id)
      }),
    markUncertain,
    isPending: (run) => [...pending].some(({ run_id }) => run_id === run),
    takeOver: (recovery) => Effect.asVoid(takeOver(false, recovery)),
    recover: Effect.fnUntraced(function*(recovery) {
      const fibers = yield* takeOver(true, recovery)
      yield* Fiber.awaitAll(fibers)
      return fibers.length
    }),
    awaitUncertain: uncertain.awaitLook,
    clearUncertain: uncertain.looked
  }
})
