// The background jobs of evaluations and experiments that requests start and end.
import * as Owner from "@svc/domain/Owner"
import type { Database } from "@svc/runtime/database/Database"
import { EvaluationDatabases } from "@svc/runtime/evaluation/EvaluationDatabases"
import * as Job from "@svc/runtime/jobs/Job"
import { Effect } from "effect"

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
