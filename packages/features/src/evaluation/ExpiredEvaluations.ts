// The removal of ended evaluations and experiments. The results of an experiment go before it, in pieces.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { EvalRunStore, type Orphaned } from "./EvalRunStore.ts"
import { orphanedAtOnce } from "./EvaluationLimits.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"

// Ends evaluations and experiments that would be executed forever: their job failed with its last node, or was
// removed. One repeating job of each database.

/** Seconds, in which an evaluation that was just stored is not checked. */
const gracePeriod = 60

const error = "Its job ended without a result. The log of the service says why"

interface Store {
  readonly failOrphaned: (orphaned: Orphaned) => Effect.Effect<number, StorageUnavailable>
}

const failAll = Effect.fnUntraced(function*({ failOrphaned }: Store, what: string) {
  for (;;) {
    const count = yield* failOrphaned({ before: (yield* now) - gracePeriod, error })
    if (count > 0) yield* Effect.logWarning(`${count} ${what}(s) had no job anymore, and are failed now`)
    if (count < orphanedAtOnce) break
  }
})

export const kind = Effect.gen(function*() {
  const [evalRuns, experiments] = [yield* EvalRunStore, yield* ExperimentStore]
  return JobKind.repeating({
    name: "abandoned_evaluations",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      yield* failAll(evalRuns, "evaluation")
      yield* failAll(experiments, "experiment")
    })
  })
})

/** Of one statement. */
const maxEvaluations = 100
const maxResults = 500

export const make = (sql: SqlClient.SqlClient) => (seconds: number) => {
  const endOfEvaluation = sql`coalesce(ended_at, updated_at)`
  const endOfExperiment = sql`updated_at`
  const isExpired = (end: Statement.Fragment) =>
    sql`status not in ('PENDING', 'RUNNING') and ${end} <= extract(epoch from now())::bigint - ${seconds}::bigint`
  return sql`
    with evaluations as (
      delete from svc_eval_runs where seq = any(array(
        select seq from svc_eval_runs where ${isExpired(endOfEvaluation)}
        order by ${endOfEvaluation} limit ${maxEvaluations} for update skip locked
      )) returning 1
    ), oldest as materialized (
      select id from svc_experiments where ${isExpired(endOfExperiment)}
      order by updated_at limit 1 for update skip locked
    ), doomed as materialized (
      select i.experiment_id, i.place from oldest cross join lateral (
        select * from svc_experiment_items i where i.experiment_id = oldest.id order by i.place limit ${maxResults}
      ) i
    ), results as (
      delete from svc_experiment_items i using doomed d
      where i.experiment_id = d.experiment_id and i.place = d.place returning 1
    ), experiments as (
      delete from svc_experiments x using oldest
      where x.id = oldest.id and (select count(*) from doomed) < ${maxResults} returning 1
    )
    select ((select count(*) from evaluations) + (select count(*) from results) +
      (select count(*) from experiments))::int as count`
}
