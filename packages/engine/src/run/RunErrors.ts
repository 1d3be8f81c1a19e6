// Why a run is not accepted, or not found.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
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

/** Something that a new run assumes about stored components has changed. The run can be started again. */
export class ComponentOutdated extends Schema.TaggedError<ComponentOutdated>()("ComponentOutdated", {
  run_id: Run.Id
}) {}

/** This node executes the maximum number of runs. */
export class TooManyRuns extends Schema.TaggedError<TooManyRuns>()("TooManyRuns", {}) {
  override get message() {
    return "Too many runs are executed at once (MAX_RUNS, MAX_RUN_INPUT_BYTES). Try again shortly."
  }
}

const whose = {
  user: "This user",
  tenant: "This tenant",
  component: "This component",
  service: "The service",
  run: "The run"
} as const

const reached = {
  runsAtOnce: (used: number, limit: number) => `has ${used} of ${limit} runs at once`,
  runsPerMinute: (used: number, limit: number) => `has started ${used} of ${limit} runs within a minute`,
  tokensPerDay: (used: number, limit: number) => `has used ${used} of ${limit} tokens today (UTC)`,
  budget: (used: number, limit: number, name = "") => `has used ${used} of ${limit} ${name}`
} as const

/** The run would exceed a limit of its user, of its component or of the service. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  scope: Schema.Literals(["user", "tenant", "component", "service", "run"]),
  name: Schema.Literals(["runsAtOnce", "runsPerMinute", "tokensPerDay", "budget"]),
  /** What is counted, and when it begins anew, of a budget. */
  of: Schema.optionalKey(Schema.String),
  used: Schema.Finite,
  limit: Schema.Finite,
  /** Seconds after which the request can succeed, at the earliest. */
  retry_after: Schema.Finite
}) {
  /** Whether a background job can wait for the end of it. */
  get isShort() {
    return this.name !== "tokensPerDay" && this.name !== "budget"
  }
  override get message() {
    const { limit, name, of, retry_after, scope, used } = this
    if (name === "budget") return `${whose[scope]} ${reached.budget(used, limit, of)}.`
    // the rest of the room is for runs that wait already
    const waiting = used < limit ? ", and other runs wait" : ""
    return `${whose[scope]} ${reached[name](used, limit)}${waiting}. Try again in ${retry_after} ${
      retry_after === 1 ? "second" : "seconds"
    }.`
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
