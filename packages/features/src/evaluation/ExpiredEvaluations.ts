// The removal of ended evaluations and experiments. The results of an experiment go before it, in pieces.
import type { SqlClient, Statement } from "effect/sql"

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
