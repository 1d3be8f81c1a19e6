// Why a run is not accepted, or not found.
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
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

/** This node executes as many runs as it may. */
export class TooManyRuns extends Schema.TaggedError<TooManyRuns>()("TooManyRuns", {}) {
  override get message() {
    return "Too many runs are executed at once (MAX_RUNS, MAX_RUN_INPUT_BYTES). Try again shortly."
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

/** What a run says whose execution broke off again and again. */
export const unstorable =
  "The run broke off several times in a way that could not be stored. The log of the service says why, under its run_id"

const handedOver = {
  stopping: (run: Run.Id) =>
    `The service is stopping. Run '${run}' resumes when it is back: read it, or watch its events`,
  elsewhere: (run: Run.Id) =>
    `Run '${run}' was taken over by another node and continues there: read it, or watch its events`,
  again: (run: Run.Id) => `Run '${run}' was interrupted and resumes from its last step: read it, or watch its events`,
  deleted: (run: Run.Id) => `The session was deleted while run '${run}' was executed, and the run with it`
} as const

/** This process does not execute the run any more, and its end is not known here. Unless it was deleted, it resumes. */
export class RunHandedOver extends Schema.TaggedError<RunHandedOver>()("RunHandedOver", {
  run_id: Run.Id,
  reason: Schema.Literals(["stopping", "elsewhere", "again", "deleted"])
}) {
  override get message() {
    return handedOver[this.reason](this.run_id)
  }
}
