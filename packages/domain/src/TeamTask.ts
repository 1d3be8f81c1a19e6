// A task that a team in mode `tasks` has created.
import { Schema } from "effect"

export const Status = Schema.Literals(["pending", "in_progress", "completed", "failed", "blocked"])
export type Status = typeof Status.Type

export const Task = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  description: Schema.String,
  status: Status,
  /** The id of the member that executes it. */
  assignee: Schema.optionalKey(Schema.String),
  /** The tasks that must be completed first. */
  dependencies: Schema.Array(Schema.String),
  result: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TeamTask" })
export type Task = typeof Task.Type
