// `Summary.of` the items of an experiment as a statement: only the summary leaves the database.
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as Experiment from "./Experiment.ts"

const Row = Schema.Struct({ summary: Experiment.Summary })

// numbers are added as decimals, which are exact
const mean = (value: string) => `sum(${value}::numeric)::float8 / nullif(count(${value}), 0)`

export const make = (sql: SqlClient.SqlClient) => {
  const figure = (name: string) => `(i.figures->>'${name}')`
  const quantile = (share: number) =>
    sql.literal(`percentile_cont(${share}) within group (order by ${figure("duration")}::float8)`)
  const sumOf = (name: string) => `sum(${figure(name)}::numeric)::float8`
  const sum = (name: string) => sql.literal(sumOf(name))
  // null where one is not known: the others would look like all of them
  const wholeSum = (name: string) => sql.literal(`case when count(*) = count(${figure(name)}) then ${sumOf(name)} end`)
  const count = (status: Experiment.ItemStatus) => sql`(count(*) filter (where i.status = ${status}))::int`

  return SqlSchema.findOne({
    Request: unchecked<Experiment.Id>(),
    Result: Row,
    execute: (id) =>
      sql`
        with items as materialized (
          select i.place, i.status, i.score, i.figures from svc_experiment_items i where i.experiment_id = ${text(id)}
        ), scores as (
          select s.score->>'scorer' as scorer, ${sql.literal(mean("(s.score->>'score')"))} as mean,
            min(i.place) as place, min(s.number) as number
          from items i cross join lateral json_array_elements(i.figures->'scores') with ordinality as s (score, number)
          group by s.score->>'scorer'
        )
        select json_build_object(
          'passed', ${count("passed")}, 'failed', ${count("failed")}, 'errors', ${count("error")},
          'pass_rate', coalesce(${count("passed")} / nullif(count(*), 0)::float8, 0),
          'score', ${sql.literal(mean("i.score"))},
          'scores', coalesce((
            select json_object_agg(s.scorer, s.mean order by s.place, s.number) from scores s
          ), '{}'::json),
          'duration_p50', ${quantile(0.5)}, 'duration_p95', ${quantile(0.95)},
          'tokens', coalesce(${sum("tokens")}, 0), 'cost', ${sum("cost")},
          'unpriced_tokens', ${wholeSum("unpriced_tokens")},
          'judge_tokens', coalesce(${sum("judge_tokens")}, 0), 'judge_cost', ${sum("judge_cost")}
        ) as summary from items i`
  })
}
