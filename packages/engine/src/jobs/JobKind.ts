// A kind of job: the schema of its payload, and the handler that processes one. Kinds are registered where the
// application is assembled.
import type * as Json from "@svc-runtime/domain/Json"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Duration, Effect, Predicate, Schema } from "effect"
import { mismatch, Mistake } from "../userCode/Mistake.ts"
import * as AuthorOptions from "../userCode/Options.ts"
import type * as Job from "./Job.ts"
import * as PayloadVersion from "./PayloadVersion.ts"

export interface JobContext {
  /** Its `attempts` are 0 after the attempt has progressed. */
  readonly job: Job.Acquired
  /** Stored within a second. More than 4,096 bytes are not stored. */
  readonly report: (progress: Json.Value) => Effect.Effect<void>
  /** A part of the work is stored: this attempt does not count, and neither do those before it. */
  readonly progressed: Effect.Effect<void, StorageUnavailable>
  /** After the handler has returned, the job is executed again in this many seconds. The attempt does not count. */
  readonly postpone: (seconds: number) => Effect.Effect<void>
  /** Has an effect on the outside world only while this node holds the job. */
  readonly guard: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The job fails if this attempt does. */
export const isLast = ({ job }: Pick<JobContext, "job">): boolean => job.attempts >= job.max_attempts

/** A handler that fails with it is not repeated. */
export class JobRejected extends Schema.TaggedError<JobRejected>()("JobRejected", { message: Schema.String }) {}

/** How an attempt failed. The message is stored and shown. */
export class AttemptFailed extends Schema.TaggedError<AttemptFailed>()("AttemptFailed", {
  message: Schema.String,
  isFinal: Schema.Boolean,
  /** Seconds before the next attempt, if its delay is shorter. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export interface Options<A, E> {
  /** Identifies the kind in the database. Only one kind has it. */
  readonly name: string
  /** The schema of the payload, which is stored as JSON. */
  readonly payload: Schema.Codec<A, Json.Value>
  /**
   * Of the payload. 1, when left out. A form that older nodes cannot read has a higher one: they leave it to nodes that
   * can. The schema reads the older forms as well.
   */
  readonly version?: number | undefined
  /**
   * May be executed again after it has had its effect: what an attempt did can be lost before it is stored. An error
   * with `retryAfter` is repeated after as many seconds at the earliest, at most an hour.
   */
  readonly handle: (payload: A, context: JobContext) => Effect.Effect<unknown, E>
  /** How many of them a node executes at a time. Default: 1. */
  readonly concurrency?: number | undefined
  /**
   * How many of them for one user a node executes at a time. Those without a user are those of one more user. Left out:
   * as many as for all.
   */
  readonly perUser?: number | undefined
  /** The number of attempts, the first one included. Default: 5. */
  readonly maxAttempts?: number | undefined
  /** The timeout of one attempt. Default: 15 minutes. */
  readonly timeout?: Duration.Input | undefined
  /** Of the jobs with one key one waits at most: it is used instead of others that are postponed. */
  readonly isOnePerKey?: boolean | undefined
  /**
   * The delay after the first failed attempt. It doubles with each further one, up to an hour. Default: one
   * second.
   */
  readonly retryDelay?: Duration.Input | undefined
}

export interface JobKind<in A> {
  readonly name: string
  readonly version: number
  readonly concurrency: number
  readonly perUser: number | undefined
  readonly maxAttempts: number
  readonly timeout: Duration.Duration
  /** Seconds before the next attempt. */
  readonly backoff: (attempts: number) => number
  readonly isOnePerKey: boolean
  /** A repeating kind has one job without a payload, which is executed again after this time. */
  readonly every: Duration.Duration | undefined
  readonly encode: (payload: A) => Effect.Effect<Json.Value, Schema.SchemaError>
  readonly execute: (payload: Json.Value, context: JobContext) => Effect.Effect<void, AttemptFailed>
}

const maxDelay = 3600

/** Characters of a message that is stored. */
const maxMessage = 2000

const failed = (error: unknown): AttemptFailed => {
  const message = Predicate.hasProperty(error, "message") ? String(error.message) : String(error)
  return new AttemptFailed({
    message: message.slice(0, maxMessage).toWellFormed(),
    isFinal: Predicate.isTagged(error, "JobRejected"),
    ...(Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
      ? { retryAfter: Math.min(maxDelay, Math.max(0, error.retryAfter)) }
      : {}),
    cause: error
  })
}

const kinds: AuthorOptions.Kinds<keyof Options<unknown, unknown>> = {
  name: "text",
  payload: "any",
  handle: "function",
  version: "any",
  concurrency: "any",
  perUser: "any",
  maxAttempts: "any",
  timeout: "any",
  isOnePerKey: "flag",
  retryDelay: "any"
}

/** Throws for options of another kind, and for a payload that is no schema. */
const check = (options: object): void => {
  const owner = AuthorOptions.ownerOf("JobKind", options, "name")
  AuthorOptions.check(owner, options, kinds)
  const { handle, name, payload }: { readonly [key in "handle" | "name" | "payload"]?: unknown } = options
  if (name === undefined) throw new Mistake("A kind of jobs has no name. Give it one, which stored jobs have")
  if (handle === undefined) throw new Mistake(`${owner} has no handle. Give it the function that does the work`)
  if (!Schema.isSchema(payload)) {
    throw mismatch(`${owner}: payload`, "a Schema of Effect", payload, "Write Schema.Struct({ … })")
  }
}

export const make = <A, E>(options: Options<A, E>): JobKind<A> => {
  check(options)
  const { concurrency = 1, handle, isOnePerKey = false, maxAttempts = 5, name, payload, perUser, version = 1 } = options
  const { retryDelay = "1 second" } = options
  const decode = Schema.decodeUnknownEffect(payload)
  const firstDelay = Duration.toSeconds(retryDelay)
  return {
    name,
    version,
    concurrency,
    perUser,
    maxAttempts,
    timeout: Duration.fromInputUnsafe(options.timeout ?? "15 minutes"),
    backoff: (attempts) => Math.min(maxDelay, firstDelay * 2 ** Math.max(0, attempts - 1)),
    isOnePerKey,
    every: undefined,
    encode: Schema.encodeEffect(payload),
    execute: (stored, context) =>
      decode(PayloadVersion.removed(stored)).pipe(
        Effect.mapError(() =>
          new AttemptFailed({ message: `The payload does not fit the kind ${name}`, isFinal: true })
        ),
        Effect.flatMap((decoded) => Effect.mapError(handle(decoded, context), failed)),
        Effect.asVoid
      )
  }
}

/** The kind without its handler: what enqueues its jobs need not have what the handler needs. */
export const withoutHandler = <A>(options: Omit<Options<A, never>, "handle">): JobKind<A> =>
  make({ ...options, handle: () => Effect.void })

export interface RepeatingOptions<E> extends Pick<Options<never, E>, "name" | "retryDelay" | "timeout"> {
  readonly every: Duration.Input
  readonly handle: (context: JobContext) => Effect.Effect<unknown, E>
}

/** Executed on one node at a time, for as long as a node with the kind runs. */
export const repeating = <E>({ every, handle, ...options }: RepeatingOptions<E>): JobKind<null> => {
  const kind = make({ ...options, payload: Schema.Null, handle: (_, context) => handle(context) })
  const seconds = Duration.toSeconds(every)
  return {
    ...kind,
    // a repeating job has no last attempt
    maxAttempts: 1_000_000,
    backoff: (attempts) => Math.min(seconds, kind.backoff(attempts)),
    every: Duration.fromInputUnsafe(every)
  }
}
