// Schedules: requests that the service sends to itself at the times of a cron expression, and the records of them.
import { UserId } from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Option, Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("ScheduleId"))
export type Id = typeof Id.Type

export const RunId = Schema.String.pipe(Schema.brand("ScheduleRunId"))
export type RunId = typeof RunId.Type

/** Characters of the JSON of a payload. */
export const maxPayload = 65_536

const methods: ReadonlyArray<string> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const matching = (pattern: RegExp, message: string) =>
  Schema.makeFilter((text: string) => pattern.test(text), {
    message,
    problem: "string_pattern_mismatch",
    toJsonSchema: () => ({ pattern: pattern.source })
  })

const Name = Schema.String.check(
  Schema.isMaxLength(255),
  matching(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/,
    "Input should begin with a letter or a digit, and have letters, digits, spaces, '.', '_' and '-' only"
  )
)

/** Parts of a path that a server could read as a step to another path. */
const upwards = /(^|[/\\])(\.|%2e){2}([/\\?;]|%2f|%5c|%3b|$)/i

/** Parts of a path that the router ignores. */
const skipped = /^[^?]*\/(\/|(\.|%2e)([/?]|$))/i

/** The path as the router reads it. */
const readPath = Option.liftThrowable((path: string) =>
  decodeURIComponent(new URL(path, "http://localhost").pathname).replace(/\/+/g, "/")
)

/** A run that waits for another one keeps a place in which runs execute, and so the other one may never begin. */
const triggers = (path: string): boolean =>
  Option.exists(readPath(path), (read) => /^\/schedules\/[^/]+\/trigger([/;]|$)/i.test(read))

const unusable = (path: string): string | undefined => {
  if (!path.startsWith("/")) return "Input should begin with '/'"
  if (path.includes("://") || /^[/\\]{2}/.test(path)) return "Input should be a path without a host"
  if (path.includes("#")) return "Input should not have a fragment"
  if (upwards.test(path)) return "Input should not have '..' as a part of the path"
  if (skipped.test(path)) return "Input should have no empty part of the path, and no '.'"
  if (triggers(path)) return "Input should not trigger a schedule"
  // oxlint-disable-next-line no-control-regex
  return /[\s\\\u0000-\u001f\u007f]/.test(path)
    ? "Input should have no spaces, backslashes or control characters"
    : undefined
}

const Endpoint = Schema.String.check(
  Schema.isMaxLength(512),
  Schema.makeFilter(unusable, { problem: "value_error" })
)

const Method = Schema.String.check(
  Schema.makeFilter((text: string) => methods.includes(text.toUpperCase()), {
    message: "Input should be 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE'",
    problem: "enum"
  })
)

const Payload = Json.Input.check(
  Schema.makeFilter((payload: Json.Object) => JSON.stringify(payload).length <= maxPayload, {
    message: `Input should have at most ${maxPayload} characters as JSON`,
    problem: "too_long"
  })
)

const between = (min: number, max: number) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(min), Schema.isLessThanOrEqualTo(max))

/** The policy for times that were missed because no node ran: none, one or all of them are executed. */
export const CatchUp = Schema.Literals(["skip", "one", "all"])
export type CatchUp = typeof CatchUp.Type

/** The policy for a time at which a run of the schedule has not ended. */
export const Overlap = Schema.Literals(["allow", "skip", "queue", "cancel"])
export type Overlap = typeof Overlap.Type

const required = {
  name: Name,
  cron_expr: Schema.String.check(Schema.isMaxLength(128)),
  endpoint: Endpoint
}

const optional = {
  method: Schema.optionalKey(Method),
  description: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(1024)))),
  payload: Schema.optionalKey(Schema.NullOr(Payload)),
  /** The name of a zone, such as `Europe/Berlin`. */
  timezone: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64))),
  timeout_seconds: Schema.optionalKey(between(1, 86_400)),
  max_retries: Schema.optionalKey(between(0, 10)),
  retry_delay_seconds: Schema.optionalKey(between(1, 3600)),
  catch_up: Schema.optionalKey(CatchUp),
  /** Missed times that are older are not executed. */
  catch_up_window_seconds: Schema.optionalKey(between(1, 31_536_000)),
  overlap: Schema.optionalKey(Overlap),
  /** The start of each run is delayed by up to this many seconds, which depend on its time. */
  jitter_seconds: Schema.optionalKey(between(0, 3600))
}

export const Create = Schema.Struct({ ...required, ...optional }).annotate({ identifier: "ScheduleCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  name: Schema.optionalKey(required.name),
  cron_expr: Schema.optionalKey(required.cron_expr),
  endpoint: Schema.optionalKey(required.endpoint),
  ...optional
}).annotate({ identifier: "ScheduleUpdate" })
export type Patch = typeof Patch.Type

export const Schedule = Schema.Struct({
  id: Id,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  method: Schema.String,
  endpoint: Schema.String,
  payload: Schema.NullOr(Json.Object),
  cron_expr: Schema.String,
  timezone: Schema.String,
  timeout_seconds: Schema.Natural,
  max_retries: Schema.Natural,
  retry_delay_seconds: Schema.Natural,
  catch_up: CatchUp,
  catch_up_window_seconds: Schema.Natural,
  overlap: Overlap,
  jitter_seconds: Schema.Natural,
  enabled: Schema.Boolean,
  /** Runs in a row that failed. */
  consecutive_failures: Schema.Natural,
  /** Why the service has disabled it. */
  paused_reason: Schema.NullOr(Schema.String),
  next_run_at: Schema.NullOr(EpochSeconds),
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds),
  /** The isolated user for whom it acts. Null: it acts as the service. */
  author: Schema.NullOr(UserId)
})
export type Schedule = typeof Schedule.Type

/** In responses. */
export const Shown = Schema.Struct({
  ...Schedule.fields,
  /** The code of the service declares it, so requests do not change it. */
  declared: Schema.Boolean
}).annotate({ identifier: "Schedule" })

/** The response of `enable` and `disable`. */
export const State = Schema.Struct({
  id: Id,
  name: Schema.String,
  enabled: Schema.Boolean,
  next_run_at: Schema.NullOr(EpochSeconds),
  updated_at: Schema.NullOr(EpochSeconds)
}).annotate({ identifier: "ScheduleState" })

export const toState = ({ enabled, id, name, next_run_at, updated_at }: Schedule): typeof State.Type => ({
  id,
  name,
  enabled,
  next_run_at,
  updated_at
})

export const RunStatus = Schema.Literals(["running", "success", "failed", "paused", "cancelled"])
export type RunStatus = typeof RunStatus.Type

/** One attempt of a schedule. */
export const Run = Schema.Struct({
  id: RunId,
  schedule_id: Id,
  attempt: Schema.Natural,
  triggered_at: Schema.NullOr(EpochSeconds),
  completed_at: Schema.NullOr(EpochSeconds),
  status: RunStatus,
  status_code: Schema.NullOr(Schema.Int),
  run_id: Schema.NullOr(Schema.String),
  session_id: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  input: Schema.NullOr(Json.Object),
  output: Schema.NullOr(Json.Object),
  requirements: Schema.NullOr(Schema.Array(Json.Value)),
  created_at: EpochSeconds
}).annotate({ identifier: "ScheduleRun" })
export type Run = typeof Run.Type

interface Made {
  readonly at: EpochSeconds
  readonly author: UserId | null
  readonly id: Id
  readonly next_run_at: EpochSeconds
}

/** A new schedule is enabled. */
export const make = (
  { cron_expr, endpoint, name, ...given }: Create,
  { at, author, id, next_run_at }: Made
): Schedule => ({
  id,
  name,
  description: given.description ?? null,
  method: (given.method ?? "POST").toUpperCase(),
  endpoint,
  payload: given.payload ?? null,
  cron_expr,
  timezone: given.timezone ?? "UTC",
  timeout_seconds: given.timeout_seconds ?? 3600,
  max_retries: given.max_retries ?? 0,
  retry_delay_seconds: given.retry_delay_seconds ?? 60,
  catch_up: given.catch_up ?? "one",
  catch_up_window_seconds: given.catch_up_window_seconds ?? 31_536_000,
  overlap: given.overlap ?? "skip",
  jitter_seconds: given.jitter_seconds ?? 0,
  enabled: true,
  consecutive_failures: 0,
  paused_reason: null,
  next_run_at,
  created_at: at,
  updated_at: null,
  author
})

/**
 * For whom it acts after a change by this author. Null is a caller who is not isolated, and gives it to the service
 * only by stating what it does. Else what an isolated caller has written would reach what that caller may not.
 */
export const authorAfter = (
  schedule: Schedule,
  author: UserId | null,
  { endpoint, payload }: Pick<Patch, "endpoint" | "payload"> = {}
): UserId | null => author ?? (endpoint !== undefined && payload !== undefined ? null : schedule.author)

/** `next_run_at` stays as it was. */
export const patched = (schedule: Schedule, { method, ...fields }: Patch, at: EpochSeconds): Schedule => ({
  ...schedule,
  ...fields,
  ...(method === undefined ? {} : { method: method.toUpperCase() }),
  updated_at: at
})

/** The fields that decide what a due schedule executes. */
export const dueFields = [
  "id",
  "cron_expr",
  "timezone",
  "catch_up",
  "catch_up_window_seconds",
  "jitter_seconds"
] as const

/** The fields that an attempt needs. */
export const attemptFields = [
  "id",
  "method",
  "endpoint",
  "payload",
  "timeout_seconds",
  "max_retries",
  "retry_delay_seconds",
  "author"
] as const

/** The fields that an attempt keeps from its begin. After a crash it continues with them, whatever its schedule has. */
export const keptFields = ["method", "endpoint", "payload", "timeout_seconds"] as const satisfies ReadonlyArray<
  (typeof attemptFields)[number]
>

/** A time of a schedule at which it is executed. */
export interface Slot {
  /** The id of the record of its run. */
  readonly id: RunId
  readonly slot: EpochSeconds
  /** When the run begins. Default: at once. */
  readonly run_at: EpochSeconds | undefined
}

/** The action for a schedule that is due. */
export interface Firing extends Pick<Schedule, "id" | "cron_expr" | "timezone"> {
  /** The time at which it was due. If the stored one is different, another node has fired it. */
  readonly expected: EpochSeconds
  /** Null disables the schedule. */
  readonly next_run_at: EpochSeconds | null
  /** Why it is disabled. */
  readonly paused_reason: string | null
  readonly slots: ReadonlyArray<Slot>
}

/** The fields of a run without an outcome. */
export const noOutcome = {
  status_code: null,
  run_id: null,
  session_id: null,
  error: null,
  input: null,
  output: null,
  requirements: null
} as const

/** How an attempt ended. */
export type Outcome =
  & Pick<
    Run,
    "status_code" | "run_id" | "session_id" | "error" | "input" | "output" | "requirements"
  >
  & {
    readonly status: "success" | "failed" | "paused"
    /** A failed attempt is repeated by no further one. */
    readonly isLast?: boolean
  }

/** Unfinished runs of one schedule: of its times, and of triggers. Further times are skipped, and triggers refused. */
export const maxUnfinished = 100

export const overlapping = "Skipped: a run of the schedule had not ended"
export const superseded = "Cancelled: the next run of the schedule began"
export const redirected = "Cancelled: the endpoint of the schedule was changed before the run began"

type Target = Pick<Schedule, "endpoint" | "method">

/** A run that was triggered for one endpoint must not request another one, which its caller may not run. */
export const isRedirected = (before: Target, after: Target): boolean =>
  before.endpoint !== after.endpoint || before.method !== after.method
