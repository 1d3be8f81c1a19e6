// Who changed what, and when.
import { Schema } from "effect"

export const AuditEntry = Schema.Struct({
  /** In the order in which the changes began. */
  id: Schema.Int,
  /** When the change began, in epoch seconds. */
  at: Schema.Int,
  /** The user of the caller. Null if the credential named no user. */
  actor: Schema.NullOr(Schema.String),
  /** The kind of the credential, such as `jwt` or `service_account`. */
  credential: Schema.String,
  /** Method and path of the endpoint, or what was done to an account or to the memory of a user. */
  action: Schema.String,
  /** What was changed, such as `schedules`. */
  subject_kind: Schema.String,
  /** Empty if the request created it and its response did not name it, or if it changed very many. */
  subject_id: Schema.String,
  /** The path of the request. Null for a change that was recorded without one. */
  path: Schema.NullOr(Schema.String),
  /** The `X-Request-Id` of the request. */
  request_id: Schema.NullOr(Schema.String),
  /** The status of the response. Null while the change is made, and if the process ended before its response. */
  status: Schema.NullOr(Schema.Int),
  /** How many rows an erasure removed, by what they were, or how many a request named, if they are very many. */
  counts: Schema.NullOr(Schema.Record(Schema.String, Schema.Int))
}).annotate({ identifier: "AuditEntry" })
export type AuditEntry = typeof AuditEntry.Type

export interface Filter {
  readonly actor?: string | undefined
  readonly subject_kind?: string | undefined
  readonly subject_id?: string | undefined
  readonly request_id?: string | undefined
  /** In epoch seconds. */
  readonly since?: number | undefined
  /** In epoch seconds. */
  readonly until?: number | undefined
}
