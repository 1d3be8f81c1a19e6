// Errors of schedules.
import { Schema } from "effect"

export class ScheduleNameTaken extends Schema.TaggedError<ScheduleNameTaken>()("ScheduleNameTaken", {
  name: Schema.String
}) {
  override get message(): string {
    return `Schedule with name '${this.name}' already exists`
  }
}
