// How tools, hooks and instructions enqueue jobs: into the database of their run, for its user and session.
import { Effect } from "effect"
import type { JobKind } from "./JobKind.ts"
import type { JobOptions, Jobs } from "./Jobs.ts"
import type { Enqueued } from "./JobStore.ts"

export interface EnqueueOptions extends Pick<JobOptions, "isUnique" | "key" | "run_at"> {}

/** Rejects when the payload is invalid, or the database does not reply. */
export type Enqueue = <A>(kind: JobKind<A>, payload: A, options?: EnqueueOptions) => Promise<Enqueued>

export const make = (
  jobs: Jobs["Service"],
  owner: Pick<JobOptions, "session_id" | "user_id">
): Effect.Effect<Enqueue> =>
  Effect.contextWith((context) => {
    const run = Effect.runPromiseWith(context)
    return Effect.succeed<Enqueue>((kind, payload, options) =>
      run(jobs.enqueue(kind, payload, { ...options, ...owner }))
    )
  })
