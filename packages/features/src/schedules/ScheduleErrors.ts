// Errors of schedules.
import { Schema } from "effect"

export class ScheduleNameTaken extends Schema.TaggedError<ScheduleNameTaken>()("ScheduleNameTaken", {
  name: Schema.String
}) {
  override get message(): string {
    return `Schedule with name '${this.name}' already exists`
  }
}

/** With overlap `queue`: the run for an earlier time, or an attempt that repeats it, has not ended. */
export class EarlierRunUnfinished extends Schema.TaggedError<EarlierRunUnfinished>()("EarlierRunUnfinished", {
  /** After which it can have ended. */
  seconds: Schema.Finite
}) {
  override readonly message = "An earlier run of the schedule has not ended"
}
