// One run whose lease this process holds, from the moment the store has accepted it or the lease was acquired.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Instruments } from "@svc-runtime/telemetry/Instruments"
import type * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Cause, Deferred, Effect, type Fiber, type Tracer } from "effect"
import * as ExecutionLease from "../../node/ExecutionLease.ts"
import type { Lease } from "../../node/LeasedRuns.ts"
import type { NodeHeartbeat } from "../../node/NodeHeartbeat.ts"
import { retryUntilAvailable } from "../../node/retryUntilAvailable.ts"
import * as RunEvents from "../events/RunEvents.ts"
import type { RunJournal } from "../journal/RunJournal.ts"
import type { SessionQueue } from "../queue/SessionQueue.ts"
import type { RunCommand } from "../RunCommand.ts"
import { RunHandedOver } from "../RunErrors.ts"
import type { Runnable, RunResult, Start } from "../Runnable.ts"
import type { RunLog } from "../store/RunLog.ts"
import type { StartSnapshot } from "../store/RunWrites.ts"
import type * as Cancellation from "./Cancellation.ts"

export interface ContinuedFrom {
  readonly eventCount: number
  /** The last of its events, if it is a word. */
  readonly lastWord: RunEvent.RunEvent | undefined
  readonly hasBegun: boolean
  /** The usage that the end of an earlier execution has counted. */
  readonly counted: Usage.RunMetrics
}

export interface Execution extends Lease {
  readonly command: Pick<RunCommand, "run_id" | "session_id" | "stream" | "background" | "lifetime" | "evaluation">
  readonly runnable: Runnable
  readonly user_id: Ids.UserId | null
  /** What it begins with. A new run gets it when the store has accepted it. */
  snapshot: StartSnapshot
  /** The run is queued. Its state and history come when it is dequeued. */
  isWaiting: boolean
  readonly createdAt: number
  readonly entries: RunJournal["entries"]
  readonly resumedAt: RunJournal["resumedAt"]
  /** Undefined: spans were not collected when the run began. */
  readonly trace: TraceContext.RunTrace | undefined
  /** The id of the request that starts or continues the run, for the log. */
  readonly requestId: string | undefined
  /** The span of the request that continues the run. */
  readonly requested?: Tracer.AnySpan | undefined
  /** The span of the job that starts the run in a trace of its own. */
  readonly job?: Tracer.AnySpan | undefined
  /** Undefined at the start of a run: its first event is stored with it. */
  readonly continuedFrom: ContinuedFrom | undefined
  readonly cancellation: Cancellation.Cancellation
  readonly events: RunEvents.RunEvents
  readonly done: Deferred.Deferred<AnyRun.Output, StorageUnavailable | RunHandedOver>
  /** Undefined while it is being forked. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Characters of the session state that it began with, as JSON. */
  stateLength: number
  /** Its end is being stored, with its last events. */
  isEnding: boolean
  readonly lease: ExecutionLease.ExecutionLease
  /** How many of its steps are being stored. */
  writing: number
  /**
   * Why it is stopped before its end. "lost": another node has the run, or it was deleted. "broken": the store or the
   * code of the run failed unexpectedly. "stopping": the run has not begun, and the node stops.
   */
  givenUp: "lost" | "broken" | "stopping" | undefined
}

/** What is known of a run when its execution is made. */
export type Known = Omit<
  Execution,
  "cancellation" | "done" | "events" | "fiber" | "givenUp" | "isEnding" | "lease" | "stateLength" | "writing"
>

/** What each execution of a node is connected to. */
export interface Parts {
  readonly log: RunLog["Service"]
  readonly heartbeat: NodeHeartbeat
  readonly onPending: (execution: Execution, isShown: boolean) => void
  readonly onStored: (run: Run.Id) => void
  readonly instruments: Instruments
}

export const make = Effect.fnUntraced(
  function*({ heartbeat, instruments, log, onPending, onStored }: Parts, known: Known) {
    const { command, continuedFrom, run_id, runnable: { component, storesEvents = false } } = known
    const execution: Execution = {
      ...known,
      cancellation: { reason: undefined },
      events: yield* RunEvents.make({
        command,
        component,
        isKept: command.stream || command.background || storesEvents || (continuedFrom?.eventCount ?? 0) > 0,
        first: continuedFrom?.eventCount ?? 0,
        lastWord: continuedFrom?.lastWord,
        onPending: (isShown) => onPending(execution, isShown),
        onStored: () => onStored(run_id),
        onShown: (seconds, untilFirst) => {
          instruments.eventLag(seconds)
          if (untilFirst !== undefined) instruments.firstEvent(component.kind, untilFirst)
        }
      }),
      done: yield* Deferred.make<AnyRun.Output, StorageUnavailable | RunHandedOver>(),
      fiber: undefined,
      stateLength: 0,
      isEnding: false,
      lease: ExecutionLease.make({
        node: heartbeat,
        // a run that starts here is stored from now on
        acquiredIn: continuedFrom === undefined ? heartbeat.epoch() : undefined,
        ask: Effect.suspend(() => isHeld(log, execution)),
        giveUp: Effect.suspend(() => abandon(execution))
      }),
      writing: 0,
      givenUp: undefined
    }
    return execution
  }
)

/**
 * The executions whose leases are still held. If another node had the run meanwhile, this node can have two executions
 * of it, of which only the one with the later attempt holds the lease.
 */
export const leaseCheck = (held: ReadonlyArray<Lease>) => {
  const attempts = new Map(held.map(({ attempt, run_id }) => [run_id, attempt]))
  return ({ attempt, run_id }: Lease): boolean => attempts.get(run_id) === attempt
}

const isHeld = (log: RunLog["Service"], execution: Execution) => {
  const { attempt, run_id } = execution
  return Effect.map(log.appendEvents([{ run_id, attempt, events: [] }]), (held) => leaseCheck(held)(execution))
}

/** Ends an execution before its run ends. The run resumes under another attempt, on this node or another. */
export const giveUp = (execution: Execution, reason: NonNullable<Execution["givenUp"]>) =>
  Effect.sync(() => {
    execution.givenUp ??= reason
    execution.fiber?.interruptUnsafe()
  })

/** Ends the waits for the run. The run continues, and is handed over if it does not end in time. */
export const handOver = ({ done, run_id }: Execution) =>
  Deferred.fail(done, new RunHandedOver({ run_id, reason: "stopping" }))

/** The lease has another attempt: nothing that this process still does in the run is stored. */
export const loseLease = (execution: Execution) => {
  const { attempt, run_id, command: { session_id } } = execution
  return Effect.logWarning("Lost the lease of a run: another node took it over or it was deleted").pipe(
    Effect.annotateLogs({ run_id, session_id, attempt }),
    Effect.andThen(giveUp(execution, "lost"))
  )
}

// interrupts the run at any point, and does not return
const abandon = (execution: Execution) => Effect.andThen(loseLease(execution), Effect.interruptible(Effect.never))

/** A step that cannot be stored: the run resumes from the step before it, under a new attempt. */
const fail = (execution: Execution, cause: Cause.Cause<unknown>) => {
  const { attempt, run_id, command: { session_id } } = execution
  return Effect.logError("A step of a run could not be stored", cause).pipe(
    Effect.annotateLogs({ run_id, session_id, attempt }),
    Effect.andThen(giveUp(execution, "broken")),
    Effect.andThen(Effect.interruptible(Effect.never))
  )
}

export const journalOf = (log: RunLog["Service"], execution: Execution): RunJournal => {
  const { attempt, events, lease, run_id, entries, resumedAt } = execution
  let next = entries.length
  return {
    attempt,
    entries,
    resumedAt,
    underLease: lease.act,
    record: (entry, emit) =>
      Effect.suspend(() => {
        const position = next++
        if (emit !== undefined) events.hold(emit)
        const fresh = events.unstored()
        let epoch = -1
        const recording = Effect.suspend(() => {
          epoch = lease.epoch()
          return log.record({ run_id, attempt, position, entry, events: fresh })
        })
        execution.writing++
        return retryUntilAvailable(recording).pipe(
          Effect.ensuring(Effect.sync(() => execution.writing--)),
          Effect.matchCauseEffect({
            onFailure: (cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : fail(execution, cause),
            onSuccess: (isHeld) =>
              isHeld
                ? Effect.sync(() => {
                  lease.confirmed(epoch)
                  events.stored(fresh)
                })
                : abandon(execution)
          })
        )
      })
  }
}

/** Waits for an unavailable database, as the journal does. */
export const memberHistoryIn =
  (log: RunLog["Service"], run_id: Run.Id): NonNullable<Start["memberHistory"]> => (query) =>
    Effect.orDie(retryUntilAvailable(log.memberHistory({ ...query, run_id })))

/** In seconds since 1970. Undefined: it begins now. */
export const startOf = ({ continuedFrom, createdAt }: Execution): number | undefined =>
  continuedFrom === undefined ? undefined : createdAt

/** Its place in the trace. Undefined: it has none. */
export const placeOf = (
  execution: Execution,
  { user_id }: AnyRun.Output,
  database: Ids.DatabaseId | undefined
) => {
  const { attempt, command: { session_id }, run_id, runnable: { component }, trace } = execution
  const startedAt = startOf(execution)
  const root = trace && { trace, database, isResumed: false, requested: undefined, startedAt }
  return root && { component, run_id, session_id, user_id, attempt, root }
}

/** The last event of a run that has completed. */
const withTotal = (last: RunResult["endEvent"], { total_metrics }: AnyRun.Output): RunResult["endEvent"] =>
  total_metrics !== undefined && "metrics" in last ? { ...last, total_metrics } as RunResult["endEvent"] : last

/**
 * Stores how a run has ended, and then shows the end to watchers. An unavailable database is waited for, unless this
 * process ends before: then the node that takes the run over resumes it from its last step.
 */
export const finish = (
  { log, queue }: { readonly log: RunLog["Service"]; readonly queue: SessionQueue["Service"] },
  execution: Execution,
  { endEvent: last, jobs, output, stateChanges }: RunResult,
  isClosing: () => boolean
): Effect.Effect<AnyRun.Output, StorageUnavailable> =>
  Effect.suspend(() => {
    const { attempt, events, run_id, command: { session_id } } = execution
    execution.isEnding = true
    const unstored = events.unstored()
    const whole = AnyRun.withTotal(output)
    const event = events.add(withTotal(last, whole))
    const all = [...unstored, event]
    const inner = AnyRun.membersOf(whole)
    const kept = inner.length === 0 ? Effect.void : log.recordMembers(execution, inner)
    return Effect.andThen(
      kept,
      queue.finish(session_id, {
        attempt,
        run: whole,
        events: events.isKept ? all : null,
        state_changes: stateChanges,
        usage: AnyRun.usageOf(output),
        updated_at: event.created_at,
        jobs
      })
    ).pipe(
      // The work is done and paid for.
      (storing) => retryUntilAvailable(storing, () => !isClosing()),
      Effect.tapCause((cause) =>
        Effect.annotateLogs(Effect.logError("The end of a run could not be stored", cause), {
          run_id,
          session_id,
          attempt
        })
      ),
      Effect.flatMap((isHeld) => {
        if (!isHeld) return Effect.andThen(loseLease(execution), Effect.interrupt)
        events.stored(all)
        return Effect.succeed(whole)
      })
    )
  })
