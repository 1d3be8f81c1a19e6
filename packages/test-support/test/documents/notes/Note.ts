// Notes: short texts that a user keeps. docs/design/adding-a-feature.md describes this folder.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Time from "@svc-runtime/domain/Time"
import { Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("NoteId"))
export type Id = typeof Id.Type

export const Create = Schema.Struct({
  text: Schema.String.check(Schema.isMaxLength(4000)),
  /** Used if the credential names no user. */
  user_id: Schema.optionalKey(Schema.NullOr(Ids.UserIdInput))
}).annotate({ identifier: "NoteInput" })
export type Create = typeof Create.Type

export const Note = Schema.Struct({
  id: Id,
  user_id: Schema.NullOr(Ids.UserId),
  text: Schema.String,
  created_at: Time.EpochSeconds
}).annotate({ identifier: "Note" })
export type Note = typeof Note.Type
