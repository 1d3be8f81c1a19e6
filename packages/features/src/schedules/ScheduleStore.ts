// Where schedules and the records of their runs are kept. They belong to no user. The user who made one has a share of
// the places in which runs execute.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Schedule from "./Schedule.ts"

export class ScheduleNameTaken extends Schema.TaggedError<ScheduleNameTaken>()("ScheduleNameTaken", {
  name: Schema.String
}) {
  override get message(): string {
    return `Schedule with name '${this.name}' already exists`
  }
}

export interface SchedulePage {
  readonly schedules: ReadonlyArray<Schedule.Schedule>
  readonly total: number
}

export interface ScheduleRunPage {
  readonly runs: ReadonlyArray<Schedule.Run>
  readonly total: number
}

export class ScheduleStore extends Context.Service<ScheduleStore, {
  /** Epoch seconds of the database, whose clock decides when schedules are due. */
  readonly now: Effect.Effect<Time.EpochSeconds, StorageUnavailable>
  /** False: there are `limit` schedules already, or the user who makes it has a share of them. */
  readonly create: (
    schedule: Schedule.Schedule,
    limit: number,
    user_id?: Ids.UserId
  ) => Effect.Effect<boolean, ScheduleNameTaken | StorageUnavailable>
  readonly find: (id: Schedule.Id) => Effect.Effect<Option.Option<Schedule.Schedule>, StorageUnavailable>
  /** Newest first. */
  readonly list: (
    filter: { readonly enabled: boolean | undefined },
    page: Pagination.Request
  ) => Effect.Effect<SchedulePage, StorageUnavailable>
  /** Stores the schedule that the function returns. Other changes of the schedule wait for it. */
  readonly change: <E>(
    id: Schedule.Id,
    change: (schedule: Schedule.Schedule) => Effect.Effect<Schedule.Schedule, E>
  ) => Effect.Effect<Option.Option<Schedule.Schedule>, E | ScheduleNameTaken | StorageUnavailable>
  /**
   * Disables the schedules of a user who may no longer act, and cancels their runs that wait. Attempts that have begun
   * are their last ones. Returns the number of schedules.
   */
  readonly disableAll: (
    author: Ids.UserId,
    because: { readonly at: Time.EpochSeconds; readonly reason: string }
  ) => Effect.Effect<number, StorageUnavailable>
  /** Its runs are removed with it. False: there is none. */
  readonly remove: (id: Schedule.Id) => Effect.Effect<boolean, StorageUnavailable>
  /** Newest first. */
  readonly runs: (
    id: Schedule.Id,
    page: Pagination.Request
  ) => Effect.Effect<ScheduleRunPage, StorageUnavailable>
  readonly findRun: (
    id: Schedule.Id,
    run: Schedule.RunId
  ) => Effect.Effect<Option.Option<Schedule.Run>, StorageUnavailable>
}>()("@svc-runtime/features/schedules/ScheduleStore") {}
