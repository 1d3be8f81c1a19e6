// The background jobs of evaluations and experiments that requests start and end.
import { Errors } from "@svc-runtime/api"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as Share from "@svc-runtime/engine/limits/Share"
import { Effect } from "effect"
import { EvaluationDatabases } from "./EvaluationDatabases.ts"

export const make = Effect.map(EvaluationDatabases, (evaluations) => ({
  /** A job was stored. */
  signalIn: ({ id }: Database) => Effect.flatMap(evaluations.of(id), ({ signal }) => signal),
  /** Interrupts the jobs, on any node. They cancel the runs that they wait for. */
  stop: Effect.fnUntraced(function*({ id, jobs }: Database, ids: ReadonlyArray<string>) {
    if (ids.length === 0) return
    yield* Effect.forEach(ids, (job) => jobs.cancel(Job.Id.make(job), Owner.anyone), { discard: true })
    const { signalCancelled } = yield* evaluations.of(id)
    yield* signalCancelled
  })
}))

/** Of the user, or of all. */
export const tooManyEvaluations = (what: string, user_id: string | null, limit: number) => {
  const share = Share.text(limit, user_id)
  return Errors.tooManyRequests(
    `${limit} ${what}${share} wait or are executed already (MAX_EVALUATIONS). Try again later`
  )
}
