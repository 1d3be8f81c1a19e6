// The service of `RunEngine`, composed of its parts.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect, Layer, Option } from "effect"
import { ByteLimits } from "../../limits/ByteLimits.ts"
import { type Payer, Spending } from "../../limits/Spending.ts"
import { DatabaseLiveness, probing } from "../../node/DatabaseLiveness.ts"
import { retryUntilAvailable } from "../../node/retryUntilAvailable.ts"
import { JobSignal, RunEndSignal, RunResumeSignal } from "../../signals/Signals.ts"
import { EventWriter } from "../events/EventWriter.ts"
import { RunWatch, type WatchRequest } from "../events/RunWatch.ts"
import { StoredFormat, withVersion } from "../journal/StoredFormat.ts"
import { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import { componentOf } from "../leases/TakeoverRules.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import { QueueRelease } from "../queue/QueueRelease.ts"
import { SessionQueue } from "../queue/SessionQueue.ts"
import type { LimitReached } from "../RunErrors.ts"
import { limited, Runners } from "../Runners.ts"
import { timesOf, withWakes } from "../RunWakes.ts"
import { RunLeases } from "../store/RunLeases.ts"
import { RunReading } from "../store/RunReading.ts"
import type { FoundAt } from "../store/RunReads.ts"
import { RunStore } from "../store/RunStore.ts"
import type { RunCompletion } from "../store/RunWrites.ts"
import { BrokenOffRuns } from "./BrokenOffRuns.ts"
import { EngineAdmission } from "./EngineAdmission.ts"
import * as EngineLoops from "./EngineLoops.ts"
import { EngineSettings, type RunEngineOptions } from "./EngineSettings.ts"
import * as Execution from "./Execution.ts"
import { ExecutionMaker } from "./ExecutionMaker.ts"
import { Executions } from "./Executions.ts"
import * as Guest from "./Guest.ts"
import { JoinFailed } from "./JoinFailed.ts"
import { RunAcceptance } from "./RunAcceptance.ts"
import { RunCancels } from "./RunCancels.ts"
import { RunContinuation } from "./RunContinuation.ts"
import { RunExecutor } from "./RunExecutor.ts"
import { RunRecovery } from "./RunRecovery.ts"
import { RunResume } from "./RunResume.ts"

// The store of runs as an engine uses it: the one place where something is added to its calls. A refused start is
// counted, a journal entry gets the version of its format, an end gets the jobs that follow from it, and other parts of
// this process get signals of ends, jobs and resumed runs.

/** A guest resumes the runs that it has paused. */
const noteEnd = (guest: Guest.Guest, { run }: RunCompletion): void => {
  if (run.status !== "PAUSED") guest.paused.delete(run.run_id)
  else if (guest.paused.size < Guest.maxPaused) {
    guest.paused.set(run.run_id, { session_id: run.session_id as Session.Id, wakes: [...timesOf(run)] })
  }
}

const storeOfEngine = Effect.gen(function*() {
  const [store, format, { runRefused }] = [yield* RunStore, yield* StoredFormat, yield* Instruments]
  const [runners, { guest }] = [yield* Runners, yield* EngineSettings]

  /** The jobs are stored with the end, whichever node stores it. */
  const withJobs = (completion: RunCompletion): Effect.Effect<RunCompletion> =>
    Effect.flatMap(runners.withJobs(completion), withWakes)

  const [ends, jobs, resumes] = [yield* RunEndSignal, yield* JobSignal, yield* RunResumeSignal]

  const countRefusal = ({ name, scope }: LimitReached) => Effect.sync(() => runRefused(scope, name))

  const spending = Option.getOrUndefined(yield* Effect.serviceOption(Spending))
  /** A run does not begin or continue if nothing is left for it. */
  const paid = <A, E, R>(payer: Payer | undefined, effect: Effect.Effect<A, E, R>) =>
    spending === undefined || payer === undefined ? effect : Effect.andThen(spending.admit(payer), effect)

  const notifyEnd = (completion: RunCompletion) =>
    Effect.sync(() => {
      ends.notify()
      if ((completion.jobs ?? []).length > 0) jobs.notify()
    })

  const ending = <A, E>(ended: RunCompletion, finish: (completion: RunCompletion) => Effect.Effect<A, E>) =>
    Effect.flatMap(withJobs(ended), (completion) =>
      Effect.tap(finish(completion), () => {
        if (guest !== undefined) noteEnd(guest, completion)
        return notifyEnd(completion)
      }))

  return RunStore.of({
    ...store,
    create: (newRun) => {
      const { component_id: id, kind, run_id, user_id } = newRun
      const payer = { id: run_id, attempt: 1, user_id, component: { kind, id } }
      return Effect.tapErrorTag(paid(payer, store.create(newRun)), "LimitReached", countRefusal)
    },
    resume: ({ entry, payer, ...resumption }) =>
      Effect.tapErrorTag(
        paid(payer, store.resume({ ...resumption, entry: entry && withVersion(format, entry) })),
        "LimitReached",
        countRefusal
      ).pipe(
        Effect.tap((held) =>
          Effect.sync(() => {
            guest?.paused.delete(resumption.run_id)
            if (Option.isSome(held)) resumes.notify(resumption.run_id)
          })
        )
      ),
    record: (recorded) => store.record({ ...recorded, entry: withVersion(format, recorded.entry) }),
    finish: (ended) => ending(ended, store.finish),
    finishAndDequeue: (ended, node) => ending(ended, (completion) => store.finishAndDequeue(completion, node))
  })
})

const store = Layer.effectContext(Effect.map(storeOfEngine, RunStore.portsOf))

const limitedRunners = Layer.effect(
  Runners,
  Effect.gen(function*() {
    return limited(yield* Runners, yield* ByteLimits)
  })
)

const liveness = Layer.effect(
  DatabaseLiveness,
  Effect.gen(function*() {
    const [leases, { heartbeat, node }] = [yield* RunLeases, yield* ThisNode]
    return yield* probing(leases.cancelRequested(node), () => !heartbeat.hasExpired())
  })
)

/** Until the scope is closed. */
const observeGauges = Effect.gen(function*() {
  const [{ observe }, { executing }, queue] = [yield* Instruments, yield* Executions, yield* SessionQueue]
  yield* Effect.acquireRelease(
    Effect.sync(() => [
      observe("svc_runs_held", "Runs whose leases this node holds, executing or queued", () => executing.size),
      observe("svc_runs_queued", "Runs of this node that wait in their session queues", () => queue.waiting().length)
    ]),
    (removals) => Effect.sync(() => removals.forEach((remove) => remove()))
  )
})

/** No run is accepted before the first heartbeat: a node without one counts as dead. */
const join = Effect.gen(function*() {
  const { heartbeat, join } = yield* ThisNode
  const joining = Effect.tapError(join, (failure) => Effect.flatMap(JoinFailed, (report) => report(failure)))
  yield* Effect.orDie(retryUntilAvailable(joining))
  yield* Effect.ignoreCause(heartbeat.send)
})

/** What the processes of the program before this one have paused. It is due at once, and then when its times are. */
const restorePaused = Effect.gen(function*() {
  const [{ guest }, { components }, { search }] = [yield* EngineSettings, yield* Runners, yield* RunReading]
  for (const key of guest === undefined ? [] : components()) {
    let after: FoundAt | undefined
    do {
      const found = yield* search({
        filter: { owner: Owner.anyone, component: componentOf(key) },
        statuses: ["PAUSED"],
        nodes: guest?.nodes,
        after,
        limit: 100,
        isReading: true
      })
      for (const { output, run_id, session_id } of found.runs) {
        if (guest === undefined || guest.paused.size >= Guest.maxPaused || guest.paused.has(run_id)) continue
        const times = output === undefined ? [] : timesOf(output)
        guest.paused.set(run_id, { session_id, wakes: [0, ...times] })
      }
      after = found.runs.at(-1)
    } while (after !== undefined)
  }
})

export const make = Effect.gen(function*() {
  const { detachAll, isAble, isReplying, orFail } = yield* DatabaseLiveness
  const [executions, watch, acquisition] = [yield* Executions, yield* RunWatch, yield* LeaseAcquisition]
  const [recovery, { attemptOf }, node] = [yield* RunRecovery, yield* RunReading, yield* ThisNode]
  const [acceptance, continuation, cancels] = [yield* RunAcceptance, yield* RunContinuation, yield* RunCancels]
  const { releaseQueued } = yield* QueueRelease
  const { guest } = yield* EngineSettings

  yield* observeGauges
  yield* join
  yield* Effect.orDie(retryUntilAvailable(restorePaused))
  yield* EngineLoops.fork

  return {
    node,
    guest,
    start: acceptance.start,
    continue: continuation.continue,
    recover: acquisition.recover(recovery),
    endFollowing: Effect.suspend(() => {
      executions.isStopping = true
      watch.wakeFollowing()
      return releaseQueued
    }),
    handOver: Effect.suspend(() => {
      executions.isClosing = true
      watch.wake()
      return Effect.andThen(
        detachAll,
        Effect.forEach(executions.executing.values(), Execution.handOver, { discard: true })
      )
    }),
    isReplying,
    isAble,
    whileReplying: orFail,
    watch: (request: WatchRequest) => orFail(watch.watch(request)),
    output: watch.output,
    attemptOf,
    cancel: cancels.cancel
  }
})

/**
 * The parts of an engine. They are built from the last line to the first, and closed in the opposite order: recovery
 * ends before the executor waits for its runs, then the writer stores the events that are left, and the node releases
 * what the executor leaves. No part is shared with the engine of another database.
 */
export const parts = (options: RunEngineOptions) =>
  Layer.fresh(RunRecovery.layer.pipe(
    // a run begins: accepted, continued by a caller, or recovered
    Layer.provideMerge(RunContinuation.layer),
    Layer.provideMerge(RunResume.layer),
    Layer.provideMerge(RunAcceptance.layer),
    Layer.provideMerge(ExecutionMaker.layer),
    // it is executed, cancelled and watched
    Layer.provideMerge(RunExecutor.layer),
    Layer.provideMerge(EventWriter.layer),
    Layer.provideMerge(BrokenOffRuns.layer),
    Layer.provideMerge(RunCancels.layer),
    Layer.provideMerge(LeaseAcquisition.layer),
    Layer.provideMerge(RunWatch.layer),
    Layer.provideMerge(QueueRelease.layer),
    Layer.provideMerge(SessionQueue.layer),
    // what all parts know: the node, the runs that it executes, and whether the database replies
    Layer.provideMerge(liveness),
    Layer.provideMerge(EngineAdmission.layer),
    Layer.provideMerge(Executions.layer),
    Layer.provideMerge(ThisNode.layer),
    Layer.provideMerge(limitedRunners),
    Layer.provideMerge(store),
    Layer.provideMerge(EngineSettings.layer(options))
  ))
