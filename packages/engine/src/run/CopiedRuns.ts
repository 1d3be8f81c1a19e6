// The job that a copy of a session is stored with if runs in it wait. What the copies need beside their rows is made
// by the request that copies, and by this job if that request was cut off.
import * as Approval from "@svc-runtime/domain/Approval"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option, Schema } from "effect"
import * as Job from "../jobs/Job.ts"
import type { JobStore } from "../jobs/JobStore.ts"
import type { RunLifecycle } from "./store/RunLifecycle.ts"
import type { Forked, Forking, ForkJob } from "./store/RunWrites.ts"

export const Payload = Schema.Struct({
  source: Session.Id,
  session_id: Session.Id,
  /** The run of the source of each copy that is paused, by the id of the copy. */
  paused: Schema.Record(Schema.String, Run.Id),
  /** Of the runs of the source, which can be deleted before the copies have theirs. */
  approvals: Schema.Array(Approval.Approval)
})
export type Payload = typeof Payload.Type

export const shape = { name: "copied_runs", payload: Payload, maxAttempts: 500, timeout: "5 minutes" } as const

/** Seconds in which the request makes it. */
const delay = 60

const idOf = (session_id: Session.Id) => Job.Id.make(`${shape.name}:${session_id}`)

const jobOf = ({ created_at, session_id }: Forking): ForkJob => ({
  id: idOf(session_id),
  kind: shape.name,
  max_attempts: shape.maxAttempts,
  run_at: created_at + delay
})

/** Makes what copies need. */
export type Made = (copied: Payload) => Effect.Effect<void, StorageUnavailable>

const decode = Schema.decodeUnknownOption(Payload)

/** Copies a session, and makes what its copies need. A caller that goes away does not cut it off. */
export const fork = (
  runs: Pick<RunLifecycle["Service"], "fork">,
  jobs: Pick<JobStore["Service"], "cancel" | "find">
) =>
  Effect.fnUntraced(function*(forking: Forking, made: Made) {
    const { session_id, source } = forking
    // a copy of a copy needs what the copied one still lacks
    const lacking = Option.filter(yield* jobs.find(idOf(source), Owner.anyone), ({ status }) => !Job.isEnded(status))
    const lacked = Option.flatMap(lacking, ({ payload }) => decode(payload))
    if (Option.isSome(lacked)) yield* made(lacked.value)
    const job = jobOf(forking)
    const forked: Option.Option<Forked> = yield* runs.fork({ ...forking, job })
    if (Option.isNone(forked) || forked.value.paused.size === 0) return forked
    const { approvals, paused } = forked.value
    yield* made({ source, session_id, paused: Object.fromEntries(paused), approvals })
    yield* jobs.cancel(job.id, Owner.anyone)
    return forked
  }, Effect.uninterruptible)
