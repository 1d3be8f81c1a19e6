// The errors of requests that name a session.
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"

/** Absent, or not the caller's: from outside the two look the same. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  session_id: Session.Id
}) {
  override get message() {
    return `Session with id '${this.session_id}' not found`
  }
}

export class SessionExists extends Schema.TaggedError<SessionExists>()("SessionExists", {
  session_id: Session.Id
}) {
  override get message() {
    return `Session with id '${this.session_id}' already exists. Use PATCH /sessions/${this.session_id} to update it.`
  }
}
