// Why a run is not accepted, or not found.
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import { Schema } from "effect"

/** A caller chose the id of an existing run. */
export class RunExists extends Schema.TaggedError<RunExists>()("RunExists", { run_id: Run.Id }) {
  override get message() {
    return `Run with id '${this.run_id}' already exists. Choose another run_id, or leave it out.`
  }
}

/** The run was started with `if_busy=reject`, and another run of its session has not ended. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { session_id: Session.Id }) {
  override get message() {
    return `Session with id '${this.session_id}' is busy: a run in it has not ended. Wait for it, or send if_busy=queue ` +
      `or if_busy=interrupt`
  }
}

/** Of what a new run takes for granted about stored components, something has changed. It can be begun again. */
export class ComponentOutdated extends Schema.TaggedError<ComponentOutdated>()("ComponentOutdated", {
  run_id: Run.Id
}) {}

/** This node executes the maximum number of runs. */
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

/** A stored run is too large to be read, or has a form that this version cannot read. */
export class RunUnreadable extends Schema.TaggedError<RunUnreadable>()("RunUnreadable", {
  run_id: Run.Id,
  reason: Schema.String
}) {
  override get message() {
    return `Run '${this.run_id}' cannot be read: ${this.reason}`
  }
}

/** The error of a run whose execution broke off repeatedly. */
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

/** This process no longer executes the run, which has not ended. It resumes, unless it was deleted. */
export class RunHandedOver extends Schema.TaggedError<RunHandedOver>()("RunHandedOver", {
  run_id: Run.Id,
  reason: Schema.Literals(["stopping", "elsewhere", "again", "deleted"])
}) {
  override get message() {
    return handedOver[this.reason](this.run_id)
  }
}
