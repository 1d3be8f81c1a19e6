// A task that a team in mode `tasks` has set itself, on its way to what it was asked for.
import { Schema } from "effect"

export const Status = Schema.Literals(["pending", "in_progress", "completed", "failed", "blocked"])
export type Status = typeof Status.Type

export const Task = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  description: Schema.String,
  status: Status,
  /** The id of the member who is to do it. */
  assignee: Schema.optionalKey(Schema.String),
  /** The tasks that have to be completed before. */
  dependencies: Schema.Array(Schema.String),
  /** What came of it. */
  result: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TeamTask" })
export type Task = typeof Task.Type
