// Executes the jobs of the kinds that this process registers, under the leases of its node. It acquires due jobs, and
// interrupts jobs that other nodes acquired or callers cancelled. At shutdown it waits for jobs and releases the rest.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Clock, Duration, Effect, type Fiber, Latch, Layer, Option, type Scope } from "effect"
import { ByteLimits } from "../limits/ByteLimits.ts"
import { Spending } from "../limits/Spending.ts"
import * as BackgroundLoops from "../node/BackgroundLoops.ts"
import { CurrentNode } from "../node/CurrentNode.ts"
import { forkDraining } from "../node/forkDraining.ts"
import { JobCancelSignal, JobSignal } from "../signals/Signals.ts"
import type * as Job from "./Job.ts"
import * as JobExecution from "./JobExecution.ts"
import type { JobKind } from "./JobKind.ts"
import * as Jobs from "./Jobs.ts"
import { JobStore } from "./JobStore.ts"

// The gauges of jobs that are due and that no node executes. Each node counts its kinds regularly, so that no reader
// of the gauges waits for the database.

/** Of one kind. */
const maxCount = 1000

const interval = "15 seconds"

/** Until the scope is closed. Returns the loop that counts. */
const observe = Effect.fnUntraced(function*({ countDue }: JobStore["Service"], kinds: ReadonlyArray<string>) {
  const { observe } = yield* Instruments
  let counts: ReadonlyMap<string, number> = new Map()
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      kinds.map((kind) =>
        observe("svc_jobs_waiting", "Background jobs that are due and wait for a node", () => counts.get(kind) ?? 0, {
          kind
        })
      )
    ),
    (removals) => Effect.sync(() => removals.forEach((remove) => remove()))
  )
  const loop: BackgroundLoops.Loop = {
    task: Effect.map(countDue(kinds, maxCount), (found) => {
      counts = found
    }),
    every: interval
  }
  return loop
})

export interface Options<R> {
  /** A handler may need services that are made here. */
  readonly kinds: Effect.Effect<ReadonlyArray<JobKind<never>>, never, R>
  /** How long jobs may be executed after shutdown began. */
  readonly drainTimeout: Duration.Input
  /** After which a handler that was interrupted and has not ended is abandoned. 5 seconds, when left out. */
  readonly interruptionTimeout?: Duration.Input | undefined
  /** Between two statements for due jobs, and for the jobs that are executed. A second, when left out. */
  readonly pollInterval?: Duration.Input | undefined
  /** Between two checks whether each repeating kind has a job. A minute, when left out. */
  readonly planInterval?: Duration.Input | undefined
}

/** Abandoned handlers of a kind, beside its concurrency, with which a node executes it. */
const maxAbandoned = 3

/** Milliseconds. A search that takes longer and finds no due job has read many that wait for others of their key. */
const slowSearch = 20

/** After such a search, in its durations and in milliseconds: each enqueued job would begin another one. */
const [searchPause, maxSearchPause] = [10, 2000]

const [jobTopic, cancelTopic] = ["jobs", "cancelled jobs"]

const make = Effect.fnUntraced(function*<R>(options: Options<R>): Effect.fn.Return<
  Jobs.Jobs["Service"],
  never,
  R | CurrentNode | JobCancelSignal | JobSignal | JobStore | Scope.Scope
> {
  const store = yield* JobStore
  // finds jobs that became due, and jobs whose signal was lost
  const { pollInterval = "1 second" } = options
  const interruptionTimeout = Duration.fromInputUnsafe(options.interruptionTimeout ?? "5 seconds")
  const { awaitTurn, eligible, heartbeat, node, rareness, signals, takeoverInterval } = yield* CurrentNode
  const spending = Option.getOrUndefined(yield* Effect.serviceOption(Spending))
  const kinds = new Map((yield* options.kinds).map((kind) => [kind.name, kind]))
  const executing = new Map<Job.Id, JobExecution.JobExecution>()
  /** Handlers that were abandoned and have not ended, by kind. */
  const abandoned = new Map<string, number>()
  const [isBusy, isSignalled, isCancelSignalled] = [
    Latch.makeUnsafe(false),
    Latch.makeUnsafe(false),
    Latch.makeUnsafe(false)
  ]
  const clock = yield* Clock.Clock
  const monotonicMillis = () => Monotonic.millisOf(clock)
  let isClosing = false
  let isStarting = true
  let takeOverAt = 0
  let searchAt = 0

  const fork = yield* forkDraining<void, never>({ timeout: options.drainTimeout, what: "job" })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosing = true
    })
  )

  const ended = (execution: JobExecution.JobExecution) =>
    Effect.sync(() => {
      // it may be executed again already
      if (executing.get(execution.job.id) === execution) executing.delete(execution.job.id)
      if (executing.size === 0) isBusy.closeUnsafe()
      // its slot is free, and so is its key
      searchAt = 0
      isSignalled.openUnsafe()
    })

  const placesOf = ({ concurrency, name }: JobKind<never>) =>
    Math.min(concurrency, concurrency + maxAbandoned - (abandoned.get(name) ?? 0))

  // what they hold is not released before they end: a node must not collect any number of them
  const onAbandoned = (kind: JobKind<never>) => (handler: Fiber.Fiber<unknown, unknown>) =>
    Effect.suspend(() => {
      const { name } = kind
      abandoned.set(name, (abandoned.get(name) ?? 0) + 1)
      handler.addObserver(() => {
        abandoned.set(name, (abandoned.get(name) ?? 1) - 1)
        isSignalled.openUnsafe()
      })
      return placesOf(kind) > 0 ? Effect.void : Effect.logError(
        `${abandoned.get(name)} abandoned handlers of jobs of the kind ${name} have not ended. ` +
          "This node executes no more of its jobs until one of them ends"
      )
    })

  const begin = (job: Job.Acquired, acquiredIn: number) => {
    const kind = kinds.get(job.kind)
    if (kind === undefined) return
    const execution = JobExecution.make(job, kind)
    executing.set(job.id, execution)
    isBusy.openUnsafe()
    const options = {
      store,
      spending,
      node: heartbeat,
      acquiredIn,
      interruptionTimeout,
      onAbandoned: onAbandoned(kind)
    }
    execution.fiber = fork(
      Effect.ensuring(JobExecution.execute(execution, options, () => isClosing), ended(execution))
    )
  }

  /** Takes over jobs of stopped nodes, and jobs that this node holds without knowing because a reply was lost. */
  const takeOver = Effect.gen(function*() {
    // a wall clock that is set back would put it off
    const time = monotonicMillis()
    if (!isStarting && time < takeOverAt) return
    const count = yield* store.takeOver({ node, executing: [...executing.keys()], ...yield* eligible(isStarting) })
    if (count > 0) yield* Effect.logWarning(`${count} job(s) whose node stopped are executed again`)
    isStarting = false
    takeOverAt = time + takeoverInterval * 1000 * rareness()
  })

  const freeSlots = () =>
    [...kinds.values()].flatMap((kind) => {
      const { name } = kind
      const free = placesOf(kind) - [...executing.values()].filter(({ job }) => job.kind === name).length
      // one at a time, so that one statement does not take more for a user than its share
      return free > 0 ? [[name, kind.perUser === undefined ? free : 1] as const] : []
    })

  /** The callers who have their share of a kind. */
  const busyCallers = () =>
    [...kinds.values()].flatMap(({ name, perUser }) => {
      if (perUser === undefined) return []
      const counts = new Map<string, number>()
      for (const { job: { caller, kind } } of executing.values()) {
        if (kind === name && caller !== null) counts.set(caller, (counts.get(caller) ?? 0) + 1)
      }
      return [...counts].flatMap(([caller, count]) => count < perUser ? [] : [{ kind: name, caller }])
    })

  const acquire = Effect.gen(function*() {
    const slots = freeSlots()
    const began = monotonicMillis()
    if (slots.length === 0 || began < searchAt) return
    const acquiredIn = heartbeat.epoch()
    const acquired = yield* store.acquire({ node, slots: Object.fromEntries(slots), busy: busyCallers() })
    const duration = monotonicMillis() - began
    if (acquired.length === 0 && duration >= slowSearch) {
      searchAt = began + duration + Math.min(maxSearchPause, duration * searchPause)
    }
    for (const job of acquired) begin(job, acquiredIn)
    // a key has one job at a time, and a user a share: there may be others for the slots that are free
    if (acquired.length > 0) isSignalled.openUnsafe()
  })

  // a statement that acquires jobs is not interrupted, so that this node knows what it holds
  const look = Effect.suspend((): Effect.Effect<void, StorageUnavailable> => {
    isSignalled.closeUnsafe()
    return heartbeat.hasExpired() ? Effect.void : Effect.uninterruptible(Effect.andThen(takeOver, acquire))
  })

  const giveUp = (found: ReadonlyArray<JobExecution.JobExecution>, reason: "cancelled" | "lost") => {
    for (const execution of found) if (!execution.isEnding) JobExecution.interrupt(execution, reason)
  }

  const sync = Effect.suspend((): Effect.Effect<void, StorageUnavailable> => {
    const held = [...executing.values()].filter(({ isEnding }) => !isEnding)
    if (held.length === 0) return Effect.void
    const reported = held.map((execution) => {
      const { progress } = execution
      execution.progress = undefined
      return { id: execution.job.id, lease: execution.job.lease, progress }
    })
    return store.sync(reported).pipe(
      Effect.tapError(() =>
        Effect.sync(() => {
          for (const [index, execution] of held.entries()) execution.progress ??= reported[index]?.progress
        })
      ),
      Effect.map((states) => {
        const byId = new Map(states.map((state) => [state.id, state]))
        giveUp(held.filter(({ job }) => !byId.has(job.id)), "lost")
        giveUp(held.filter(({ job }) => byId.get(job.id)?.isCancelRequested === true), "cancelled")
      })
    )
  })

  signals.follow(jobTopic, () => isSignalled.openUnsafe())
  signals.follow(cancelTopic, () => isCancelSignalled.openUnsafe())
  const publish = (topic: string, latch: Latch.Latch) =>
    Effect.sync(() => {
      signals.publish(topic)
      latch.openUnsafe()
    })
  const enqueued = publish(jobTopic, isSignalled)
  const jobSignal = yield* JobSignal
  // what stores jobs elsewhere in this process: ends of runs, and tools
  jobSignal.follow(() => {
    signals.publish(jobTopic)
    isSignalled.openUnsafe()
  })
  const cancelSignal = yield* JobCancelSignal
  cancelSignal.follow(() => {
    signals.publish(cancelTopic)
    isCancelSignalled.openUnsafe()
  })
  const jobs = Jobs.make(store, (yield* ByteLimits).jobPayload, {
    enqueued,
    cancelled: publish(cancelTopic, isCancelSignalled)
  })

  const repeating = [...kinds.values()].filter(({ every }) => every !== undefined)
  const planMissing = (kind: JobKind<never>) =>
    Jobs.newJob(kind, null as never, { key: kind.name }).pipe(
      Effect.catchTag("JobInvalid", Effect.die),
      Effect.flatMap(store.enqueueMissing),
      Effect.tap((isNew) => isNew ? enqueued : Effect.void)
    )
  // a node that starts executes it at once, unless another one is executing it
  const planFirst = (kind: JobKind<never>) =>
    Effect.flatMap(planMissing(kind), (isNew) => isNew ? Effect.void : store.hasten(kind.name, kind.name))
  const planInterval = Duration.toMillis(options.planInterval ?? "1 minute")
  let isPlanned = repeating.length === 0
  let planAt = monotonicMillis() + planInterval
  const planOnce = Effect.suspend(() =>
    isPlanned
      ? Effect.void
      : Effect.map(Effect.forEach(repeating, planFirst), () => {
        isPlanned = true
      })
  )

  /** A job that was cancelled, or that could not be read, ended without a repetition. */
  const planEnded = Effect.gen(function*() {
    const time = monotonicMillis()
    if (time < planAt) return
    yield* Effect.forEach(repeating, planMissing, { discard: true })
    planAt = time + planInterval * rareness()
  })

  if (kinds.size > 0) {
    yield* BackgroundLoops.fork({ incarnation: node }, {
      jobs: {
        when: Effect.raceFirst(isSignalled.await, awaitTurn(pollInterval)),
        task: planOnce.pipe(Effect.andThen(look), Effect.andThen(planEnded)),
        every: "10 millis"
      },
      heldJobs: {
        when: Effect.andThen(
          isBusy.await,
          Effect.raceFirst(
            Effect.tap(isCancelSignalled.await, () => Effect.sync(() => isCancelSignalled.closeUnsafe())),
            Effect.sleep(pollInterval)
          )
        ),
        task: sync,
        every: "10 millis"
      },
      waitingJobs: yield* observe(
        store,
        [...kinds.values()].flatMap(({ every, name }) => every === undefined ? [name] : [])
      )
    })
  }
  return jobs
})

export const layer = <R>(
  options: Options<R>
): Layer.Layer<Jobs.Jobs, never, R | CurrentNode | JobCancelSignal | JobSignal | JobStore> =>
  Layer.effect(Jobs.Jobs, make(options))
