// Schedules and their runs, as the in-memory layers keep them.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Schedule from "@svc-runtime/features/schedules/Schedule"

export interface StoredSchedule {
  readonly sequence: number
  readonly schedule: Schedule.Schedule
  /** Who made it. */
  readonly user_id: Ids.UserId | undefined
}

export interface StoredScheduleRun {
  readonly sequence: number
  /** The id of the first attempt. */
  readonly first_id: Schedule.RunId
  /** The time for which it was due. Undefined: it was triggered by hand. */
  readonly slot: number | undefined
  readonly run: Schedule.Run
  /** What an attempt that has begun does. */
  readonly begun?: Pick<Schedule.Schedule, "author" | (typeof Schedule.keptFields)[number]> | undefined
  /** For whom it acts, if not for the author of the schedule. */
  readonly author?: Ids.UserId | null | undefined
  /** Its author may no longer act. */
  readonly isLast?: boolean | undefined
}
