// Why a run is not accepted, or not found.
import { Run, Session } from "@svc/domain"
import { Schema } from "effect"

/** A caller may choose a run's id, but not one that is taken. */
export class RunExists extends Schema.TaggedError<RunExists>()("RunExists", { run_id: Run.Id }) {
  override get message() {
    return `Run with id '${this.run_id}' already exists. Choose another run_id, or leave it out.`
  }
}

/** Of a run that does not want to wait. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { session_id: Session.Id }) {
  override get message() {
    return `Session with id '${this.session_id}' is busy: a run in it has not ended. Wait for it, or send if_busy=queue ` +
      `or if_busy=interrupt`
  }
}

export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { run_id: Run.Id }) {
  override get message() {
    return `Run with id '${this.run_id}' not found`
  }
}

/** What is stored of a run is too large to be read, or is not what this version of the service stores. */
export class RunUnreadable extends Schema.TaggedError<RunUnreadable>()("RunUnreadable", {
  run_id: Run.Id,
  reason: Schema.String
}) {
  override get message() {
    return `Run '${this.run_id}' cannot be read: ${this.reason}`
  }
}

/** The service stops while it executes a run. The run goes on when it is back, or on another node. */
export class RunHandedOver extends Schema.TaggedError<RunHandedOver>()("RunHandedOver", { run_id: Run.Id }) {
  override get message() {
    return `The service is stopping. Run '${this.run_id}' goes on when it is back: read it, or watch its events`
  }
}
