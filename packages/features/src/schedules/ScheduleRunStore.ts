// How schedules become due, and how their runs are recorded. A time of a schedule is executed once over all nodes,
// because the statement that moves the next time records the run and enqueues its job.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Schedule from "./Schedule.ts"

/** With overlap `queue`: the run for an earlier time, or an attempt that repeats it, has not ended. */
export class EarlierRunUnfinished extends Schema.TaggedError<EarlierRunUnfinished>()("EarlierRunUnfinished", {
  /** After which it can have ended. */
  seconds: Schema.Finite
}) {
  override readonly message = "An earlier run of the schedule has not ended"
}

export type DueSchedule = Pick<Schedule.Schedule, (typeof Schedule.dueFields)[number]> & {
  readonly next_run_at: number
}

export interface NextDue {
  /** Epoch milliseconds, by the clock of the database. */
  readonly at: number
  /** The due schedules, or the schedules that will be due first. */
  readonly schedules: ReadonlyArray<DueSchedule>
}

export interface Fired {
  /** The schedules that no other node had fired. */
  readonly schedules: number
  /** Runs that were enqueued. */
  readonly runs: number
  /** Runs that were cancelled for them. */
  readonly cancelled: number
}

/** An attempt that a job executes. */
export interface Begun {
  readonly run: Schedule.Run
  readonly schedule: Pick<Schedule.Schedule, (typeof Schedule.attemptFields)[number]>
  /** Seconds until its timeout, by the clock of the database. */
  readonly seconds: number
  /** Its author may no longer act, also if another account has the name now. It starts nothing more. */
  readonly isLast: boolean
}

export type Orphaned = Pick<Schedule.Run, "id" | "run_id" | "session_id">

/** A schedule, and what it did when its caller was allowed to trigger it. */
export type ScheduleTarget = Pick<Schedule.Schedule, "endpoint" | "id" | "method">

/** Of a triggered run. */
export interface Triggering {
  /** For whom it acts, if not for the author of the schedule. */
  readonly author?: Ids.UserId | null | undefined
  /** Of the request. */
  readonly trace?: TraceContext.Stored | undefined
}

export type Triggered =
  | "stored"
  /** The schedule has `maxUnfinished` such runs. */
  | "full"
  /** The schedule does something else, or was removed. */
  | "changed"

export interface Ending {
  readonly outcome: Schedule.Outcome
  /** The record of the next attempt, if this one failed and there is a further one. */
  readonly next_id: Schedule.RunId
  /** Failed runs in a row after which the schedule is disabled. Zero: never. */
  readonly pauseAfter: number
  /** What the attempt did. A triggered run is repeated only if its schedule still does the same. */
  readonly target?: Pick<ScheduleTarget, "endpoint" | "method"> | undefined
  /** Of the attempt that ends, which the next one belongs to. */
  readonly trace?: TraceContext.Stored | undefined
}

export class ScheduleRunStore extends Context.Service<ScheduleRunStore, {
  /** At most `limit` schedules, in the order of their times. None if no schedule is enabled. */
  readonly nextDue: (limit: number) => Effect.Effect<Option.Option<NextDue>, StorageUnavailable>
  /** One statement. A schedule that was changed meanwhile is left out. */
  readonly fire: (firings: ReadonlyArray<Schedule.Firing>) => Effect.Effect<Fired, StorageUnavailable>
  /** Records a run without a time, and enqueues its job. A record that exists is kept. */
  readonly trigger: (
    schedule: ScheduleTarget,
    id: Schedule.RunId,
    triggering?: Triggering
  ) => Effect.Effect<Triggered, StorageUnavailable>
  /** None if the attempt has ended or was removed. */
  readonly begin: (
    id: Schedule.RunId
  ) => Effect.Effect<Option.Option<Begun>, EarlierRunUnfinished | StorageUnavailable>
  /** Records the run of a component that an attempt has started. */
  readonly note: (
    id: Schedule.RunId,
    run: { readonly run_id: Run.Id; readonly session_id: Session.Id }
  ) => Effect.Effect<void, StorageUnavailable>
  /** Ends an attempt, and enqueues the next one. False: it has ended already. */
  readonly finish: (id: Schedule.RunId, ending: Ending) => Effect.Effect<boolean, StorageUnavailable>
  /** Whether the attempt has not ended. */
  readonly isRunning: (id: Schedule.RunId) => Effect.Effect<boolean, StorageUnavailable>
  /** The last attempt of the run whose first attempt has this id. */
  readonly last: (id: Schedule.RunId) => Effect.Effect<Option.Option<Schedule.Run>, StorageUnavailable>
  /** Attempts that have not ended and have no job, a bounded number of them. */
  readonly orphaned: () => Effect.Effect<ReadonlyArray<Orphaned>, StorageUnavailable>
}>()("@svc-runtime/features/schedules/ScheduleRunStore") {}
