// A component that works in the background for a run of a session.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Time from "@svc-runtime/domain/Time"
import { Schema, Struct } from "effect"

export const Id = Schema.String.pipe(Schema.brand("BackgroundTaskId"))
export type Id = typeof Id.Type

/** `PENDING`: its run has not started. `PAUSED`: its run waits for a person, a time or an event. */
export const Status = Schema.Literals(["PENDING", "RUNNING", "PAUSED", "COMPLETED", "ERROR", "CANCELLED"]).annotate({
  identifier: "BackgroundTaskStatus"
})
export type Status = typeof Status.Type

export const isEnded = (status: Status): boolean =>
  status === "COMPLETED" || status === "ERROR" || status === "CANCELLED"

/** Characters of the input that lists show. */
const maxShownInput = 2000

/** On the wire. */
export const BackgroundTask = Schema.Struct({
  task_id: Id,
  /** That of the run that has called the component. */
  session_id: Session.Id,
  parent_run_id: Run.Id,
  tool_name: Schema.String,
  component_kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  run_id: Run.Id,
  run_session_id: Session.Id,
  input: Schema.String,
  status: Status,
  /** The answer, or why there is none. Null: it has not ended. */
  result: Schema.NullOr(Schema.String),
  /** Whether the result starts a run whose model reads it. */
  wake: Schema.Boolean,
  /** The run of the session with the result. Null: there is none yet, or the task was cancelled with its parent. */
  result_run_id: Schema.NullOr(Run.Id),
  created_at: Time.EpochSeconds,
  ended_at: Schema.NullOr(Time.EpochSeconds)
}).annotate({ identifier: "BackgroundTask" })
export type BackgroundTask = typeof BackgroundTask.Type

/** What its runs have of the run that has started it. */
export const Inherited = Schema.Struct({
  options: Json.Object,
  limited_to_session: Schema.optionalKey(Schema.Boolean),
  /** How many tasks have started each other, since a run that was not started by a result. */
  depth: Schema.Natural
})
export type Inherited = typeof Inherited.Type

export const New = Schema.Struct({
  id: Id,
  /** Of the call: a repeated call finds its task. */
  key: Schema.String,
  session_id: Session.Id,
  user_id: Schema.NullOr(Ids.UserId),
  parent_run_id: Run.Id,
  parent_kind: ComponentKind.ComponentKind,
  parent_id: Schema.String,
  tool_name: Schema.String,
  component_kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  run_id: Run.Id,
  run_session_id: Session.Id,
  /** The run with the result, which is started once under this id. */
  result_run_id: Run.Id,
  input: Schema.String,
  inherited: Inherited,
  wake: Schema.Boolean,
  timeout_seconds: Schema.NullOr(Schema.Int),
  is_detached: Schema.Boolean,
  created_at: Time.EpochSeconds
})
export type New = typeof New.Type

export const Stored = Schema.Struct({
  ...New.fields,
  status: Status,
  is_cancel_requested: Schema.Boolean,
  /** Whether the run with the result was stored. */
  is_delivered: Schema.Boolean,
  result: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Time.EpochSeconds)
})
export type Stored = typeof Stored.Type

export const toTask = (
  { id, input, is_delivered, result_run_id, ...stored }: Stored
): BackgroundTask => ({
  task_id: id,
  ...Struct.pick(stored, [
    "session_id",
    "parent_run_id",
    "tool_name",
    "component_kind",
    "component_id",
    "run_id",
    "run_session_id",
    "status",
    "result",
    "wake",
    "created_at",
    "ended_at"
  ]),
  input: input.slice(0, maxShownInput).toWellFormed(),
  result_run_id: is_delivered ? result_run_id : null
})
