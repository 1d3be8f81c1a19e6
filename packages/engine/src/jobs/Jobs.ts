// Background jobs of the service: what enqueues, shows and cancels them. `JobWorker` executes them.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Context, Effect, type Option, Schema } from "effect"
import { ByteLimits, bytesOf } from "../limits/ByteLimits.ts"
import { NewId } from "../NewId.ts"
import * as Job from "./Job.ts"
import type { JobKind } from "./JobKind.ts"
import type { Enqueued, JobFilter, JobPage, JobStore } from "./JobStore.ts"
import * as PayloadVersion from "./PayloadVersion.ts"

/** Of UTF-8: an index has to hold it. */
const maxKey = 1024

export class JobInvalid extends Schema.TaggedError<JobInvalid>()("JobInvalid", { message: Schema.String }) {}

export interface JobOptions {
  /** At most one job of a kind and a key is executed at a time. */
  readonly key?: string | undefined
  /** A job of the same key that has not started is used instead of this one. True when left out, and there is a key. */
  readonly isUnique?: boolean | undefined
  readonly user_id?: Ids.UserId | null | undefined
  /** Whose share of the kind it takes, if that is not the user whose data it processes. */
  readonly caller?: string | undefined
  /** The job is removed with its session. */
  readonly session_id?: string | undefined
  readonly run_at?: Time.EpochSeconds | undefined
}

export class Jobs extends Context.Service<Jobs, {
  /** Stored when it returns. */
  readonly enqueue: <A>(
    kind: JobKind<A>,
    payload: A,
    options?: JobOptions
  ) => Effect.Effect<Enqueued, JobInvalid | StorageUnavailable>
  /** Signals the workers that a store of this database has enqueued a job. */
  readonly signal: Effect.Effect<void>
  readonly find: (id: Job.Id, owner: Owner.Owner) => Effect.Effect<Option.Option<Job.Job>, StorageUnavailable>
  readonly list: (filter: JobFilter, page: Pagination.Request) => Effect.Effect<JobPage, StorageUnavailable>
  /** Gives the job as it is then. One that is executed ends soon after. */
  readonly cancel: (id: Job.Id, owner: Owner.Owner) => Effect.Effect<Option.Option<Job.Job>, StorageUnavailable>
}>()("@svc-runtime/engine/jobs/Jobs") {}

const newJobWithin = Effect.fnUntraced(function*<A>(
  limit: number,
  kind: JobKind<A>,
  payload: A,
  { caller, isUnique = true, key, run_at, session_id, user_id }: JobOptions
) {
  const invalid = (what: string) => new JobInvalid({ message: `The job of kind ${kind.name} ${what}` })
  const encoded = yield* Effect.mapError(
    kind.encode(payload),
    () => invalid("has a payload that does not fit its schema")
  )
  const stored = PayloadVersion.withVersion(encoded, kind.version)
  if (stored === undefined) {
    return yield* invalid(`has a payload that cannot have the version ${kind.version} as ${PayloadVersion.field}`)
  }
  const bytes = bytesOf(JSON.stringify(stored))
  if (bytes > limit) {
    return yield* invalid(`has a payload of ${bytes} bytes, more than ${limit} (JOB_PAYLOAD_MAX_BYTES)`)
  }
  if (!Json.isShallow(encoded)) return yield* invalid(`has a payload that is deeper than ${Json.maxDepth} levels`)
  if (key !== undefined && bytesOf(key) > maxKey) {
    return yield* invalid(`has a key of more than ${maxKey} bytes`)
  }
  const trace = yield* TraceContext.around
  const job: Job.NewJob = {
    id: Job.Id.make((yield* NewId)()),
    kind: kind.name,
    key: key ?? null,
    isUnique: isUnique && key !== undefined,
    payload: stored,
    max_attempts: kind.maxAttempts,
    user_id: user_id ?? null,
    ...(kind.perUser === undefined ? {} : { caller: caller ?? user_id ?? Job.withoutUser }),
    session_id: session_id ?? null,
    run_at,
    ...(trace === undefined ? {} : { trace })
  }
  return job
})

/** A new job as a store takes it, also for a store that enqueues it in a transaction of its own. */
export const newJob = <A>(kind: JobKind<A>, payload: A, options: JobOptions = {}) =>
  Effect.flatMap(ByteLimits, ({ jobPayload }) => newJobWithin(jobPayload, kind, payload, options))

export interface Signals {
  readonly enqueued: Effect.Effect<void>
  readonly cancelled: Effect.Effect<void>
}

export const make = (store: JobStore["Service"], payloadLimit: number, { cancelled, enqueued }: Signals) =>
  Jobs.of({
    enqueue: Effect.fn("Jobs.enqueue")(function*(kind, payload, options) {
      const job = yield* newJobWithin(payloadLimit, kind, payload, options ?? {})
      return yield* Effect.tap(store.enqueue(job), () => enqueued)
    }),
    signal: enqueued,
    find: store.find,
    list: store.list,
    cancel: (id, owner) => Effect.tap(store.cancel(id, owner), () => cancelled)
  })
