// Background work that is no run: a stored payload that the handler of its kind processes, on any node.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Time from "@svc-runtime/domain/Time"
import type * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Schema, Struct } from "effect"

export const Id = Schema.String.pipe(Schema.brand("JobId"))
export type Id = typeof Id.Type

/** A failed attempt makes a job `PENDING` again. `FAILED`: its attempts are used up, or it can never succeed. */
export const Status = Schema.Literals(["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"])
export type Status = typeof Status.Type

export const Job = Schema.Struct({
  id: Id,
  kind: Schema.String,
  /** At most one job of a kind and a key is executed at a time, on all nodes together. */
  key: Schema.NullOr(Schema.String),
  status: Status,
  payload: Json.Value,
  /** The last progress that its handler reported. */
  progress: Json.Value,
  attempts: Schema.Natural,
  max_attempts: Schema.Natural,
  last_error: Schema.NullOr(Schema.String),
  is_cancel_requested: Schema.Boolean,
  /** Whose data it processes. Null: the service's own. */
  user_id: Schema.NullOr(Ids.UserId),
  /** The session that it belongs to. It is removed with it. */
  session_id: Schema.NullOr(Schema.String),
  run_at: Time.EpochSeconds,
  created_at: Time.EpochSeconds,
  updated_at: Time.EpochSeconds
})
export type Job = typeof Job.Type

/** A job in a list. Payloads of many jobs would be too large for one response. */
export const Summary = Schema.Struct(Struct.omit(Job.fields, ["payload"]))
export type Summary = typeof Summary.Type

export const isEnded = (status: Status): boolean =>
  status === "COMPLETED" || status === "FAILED" || status === "CANCELLED"

/** Work without a user is that of one caller. */
export const withoutUser = ""

export interface NewJob {
  readonly id: Id
  readonly kind: string
  readonly key: string | null
  /** A job of the same kind and key that has not started is used instead of this one. */
  readonly isUnique: boolean
  readonly payload: Json.Value
  readonly max_attempts: number
  readonly user_id: Ids.UserId | null
  /** Who takes turns with the others. Null: only keys take turns. Left out: its user. */
  readonly caller?: string | null | undefined
  readonly session_id: string | null
  /** Undefined: at once. */
  readonly run_at: Time.EpochSeconds | undefined
  /** The span that has enqueued it. Left out: none. */
  readonly trace?: TraceContext.Stored
}

/** Fences the writes of an attempt: each acquisition of a job has another number. */
export interface Lease {
  readonly id: Id
  readonly lease: number
}

export const Acquired = Schema.Struct({
  id: Id,
  lease: Schema.Natural,
  kind: Schema.String,
  key: Schema.NullOr(Schema.String),
  payload: Json.Value,
  attempts: Schema.Natural,
  max_attempts: Schema.Natural,
  user_id: Schema.NullOr(Ids.UserId),
  caller: Schema.NullOr(Schema.String),
  session_id: Schema.NullOr(Schema.String),
  /** As it was stored: one that cannot be read is none. */
  trace: Schema.optionalKey(Json.Value)
})
export type Acquired = typeof Acquired.Type

/** How an attempt ended. Where a job would be executed again, a requested cancellation ends it instead. */
export type End =
  | { readonly _tag: "Completed" }
  | { readonly _tag: "Cancelled" }
  | { readonly _tag: "Failed"; readonly error: string }
  | { readonly _tag: "Retry"; readonly error: string; readonly seconds: number }
  /** The job is executed again after that time, as a new one. */
  | { readonly _tag: "Repeat"; readonly seconds: number }
  /** The job cannot be executed yet. The attempt does not count. */
  | { readonly _tag: "Postponed"; readonly seconds: number; readonly error?: string | undefined }
  /** The node stops. The attempt does not count. */
  | { readonly _tag: "Released" }

/** How long a job waits after its node stopped. A job that crashes its nodes must not crash all of them. */
export const nodeLost = "The node that executed the job stopped"
export const delayAfterLoss = (attempts: number): number => 10 * Math.max(0, attempts - 1)
