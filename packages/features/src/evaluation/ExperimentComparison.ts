// `Comparison` of the items of two experiments as a statement: only the page leaves the database.
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as Dataset from "./Dataset.ts"
import * as Experiment from "./Experiment.ts"
import type { Comparison } from "./experiments/ExperimentStore.ts"

interface Request {
  readonly base: Experiment.Id
  readonly other: Experiment.Id
  readonly page: Pagination.Request
}

const Row = Schema.Struct({ counts: Experiment.ComparisonCounts, differences: Schema.Array(Schema.Unknown) })

const side = {
  status: Schema.NullOr(Experiment.ItemStatus),
  score: Schema.NullOr(Schema.Finite)
}

const readable = ReadableRows.make(Schema.Struct({
  item_id: Dataset.ItemId,
  input: Schema.NullOr(Schema.String),
  base: Schema.Struct(side),
  other: Schema.Struct(side),
  is_item_changed: Schema.Boolean,
  is_unjudged: Schema.Boolean
}))

/** The characters of `json` that `jsonb` cannot have. */
const unstorable = String.raw`'\\(?:u0000|ud[89a-f][0-9a-f]{2})'`

/** Null if the experiment has no result of the item. */
const sideOf = ({ score, status }: Schema.Struct.Type<typeof side>) => status === null ? null : { score, status }

export const make = (sql: SqlClient.SqlClient) => {
  const isIn = (alias: "b" | "o", version: "base_version" | "other_version") =>
    sql.literal(
      `${alias}.from_version <= v.${version} and (${alias}.until_version is null or ${alias}.until_version > v.${version})`
    )

  /** What a result depends on. A damaged item is no object. */
  const contentOf = (alias: "b" | "o") => {
    const body = `regexp_replace(${alias}.body::text, ${unstorable}, '\\\\ufffd', 'gi')::jsonb`
    return sql.literal(`case json_typeof(${alias}.body) when 'object' then ${body} - 'metadata' end`)
  }

  const sideOfPair = (id: Experiment.Id) =>
    sql`
      select item_id, input, place, status, score,
        status = 'error' and json_array_length(figures->'scores') > 0 as is_unjudged
      from svc_experiment_items where experiment_id = ${text(id)}`

  const read = SqlSchema.findOne({
    Request: unchecked<Request>(),
    Result: Row,
    execute: ({ base, other, page }) =>
      sql`
        with versions as (
          select b.dataset_id, b.dataset_version as base_version, o.dataset_version as other_version
          from svc_experiments b join svc_experiments o on o.dataset_id = b.dataset_id
          where b.id = ${text(base)} and o.id = ${text(other)}
        ), changed as materialized (
          select b.id from versions v
          join svc_dataset_items b on b.dataset_id = v.dataset_id and ${isIn("b", "base_version")}
          join svc_dataset_items o on o.dataset_id = v.dataset_id and o.id = b.id and ${isIn("o", "other_version")}
          where v.base_version <> v.other_version and b.from_version <> o.from_version
            and (${contentOf("b")}) is distinct from (${contentOf("o")})
        ), pairs as (
          select coalesce(b.item_id, o.item_id) as item_id, coalesce(b.input, o.input) as input, b.place as base_place, o.place as other_place,
            b.status as base_status, o.status as other_status, b.score as base_score, o.score as other_score,
            o.score - b.score as change, c.id is not null as is_item_changed,
            coalesce(b.is_unjudged, false) or coalesce(o.is_unjudged, false) as is_unjudged
          from (${sideOfPair(base)}) b full join (${sideOfPair(other)}) o on o.item_id = b.item_id
          left join changed c on c.id = coalesce(b.item_id, o.item_id)
        ), compared as (
          select p.*, not is_item_changed and not is_unjudged and (
              coalesce(base_status = 'passed' and other_status <> 'passed', false) or coalesce(change < 0, false)
            ) as is_regression
          from pairs p
        ), ranked as (
          select *, case
            when other_status is null then 'only_base'
            when base_status is null then 'only_other'
            when is_item_changed then 'changed_items'
            when is_unjudged then 'unjudged'
            when is_regression then 'regressions'
            when change > 0 or (base_status <> 'passed' and other_status = 'passed') then 'improvements'
            else 'unchanged' end as kind
          from compared
        )
        select (
          select json_build_object(
            'regressions', count(*) filter (where kind = 'regressions'),
            'improvements', count(*) filter (where kind = 'improvements'),
            'unchanged', count(*) filter (where kind = 'unchanged'),
            'changed_items', count(*) filter (where kind = 'changed_items'),
            'unjudged', count(*) filter (where kind = 'unjudged'),
            'only_base', count(*) filter (where kind = 'only_base'),
            'only_other', count(*) filter (where kind = 'only_other')
          ) from ranked
        ) as counts, coalesce((
          select json_agg(json_build_object(
            'item_id', item_id,
            'input', input,
            'base', json_build_object('status', base_status, 'score', base_score),
            'other', json_build_object('status', other_status, 'score', other_score),
            'is_item_changed', is_item_changed,
            'is_unjudged', is_unjudged
          )) from (
            select * from ranked
            order by case kind when 'regressions' then -10 + coalesce(change, 0)
              when 'improvements' then -5 - coalesce(change, 0) else 0 end, base_place, other_place
            limit ${page.limit} offset ${Pagination.offset(page)}
          ) shown
        ), '[]') as differences`
  })

  return Effect.fnUntraced(function*(base: Experiment.Id, other: Experiment.Id, page: Pagination.Request) {
    const { counts, differences } = yield* read({ base, other, page })
    const rows = yield* readable(differences as ReadonlyArray<object>)
    const comparison: Comparison = {
      counts,
      differences: rows.map(({ base, other, ...item }) =>
        Experiment.difference({ ...item, base: sideOf(base), other: sideOf(other) })
      )
    }
    return comparison
  })
}
