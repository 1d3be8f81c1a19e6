// `ExperimentStore` in PostgreSQL.
import * as Component from "@svc-runtime/domain/Component"
import type * as Owner from "@svc-runtime/domain/Owner"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, jsonOrNull, text, textOrNull, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import type * as Dataset from "./Dataset.ts"
import type { FailedUser } from "./EvalRunStore.ts"
import * as EvaluationAdmission from "./EvaluationAdmission.ts"
import * as Experiment from "./Experiment.ts"
import * as ExperimentComparison from "./ExperimentComparison.ts"
import {
  type BegunExperiment,
  type End,
  type ExperimentFilter,
  ExperimentStore
} from "./experiments/ExperimentStore.ts"
import * as OrphanedRows from "./OrphanedRows.ts"

// `Summary.of` the items of an experiment as a statement: only the summary leaves the database.

const Row = Schema.Struct({ summary: Experiment.Summary })

// numbers are added as decimals, which are exact
const mean = (value: string) => `sum(${value}::numeric)::float8 / nullif(count(${value}), 0)`

const experimentSummary = (sql: SqlClient.SqlClient) => {
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

const columns =
  `x.id, x.name, x.user_id, x.dataset_id, x.dataset_version, x.component_version, x.scorers, x.concurrency,
  x.status, x.items_total, case x.status when 'COMPLETED' then x.items_total
    else (select count(*) from svc_experiment_items i where i.experiment_id = x.id)::int end as items_done,
  x.error, x.summary, x.kind, x.component_id, x.is_isolated, x.job_id, x.created_at::float8 as created_at,
  x.updated_at::float8 as updated_at`

interface Key {
  readonly id: Experiment.Id
  readonly owner: Owner.Owner
}

const { input, ...bodyFields } = Experiment.Item.fields

const ItemRow = Schema.Struct({
  body: Schema.Struct({ ...bodyFields, unpriced_tokens: Experiment.storedFigure }),
  input
})

const readable = ReadableRows.make(Experiment.Stored, "experiment_id")
const readableItems = ReadableRows.make(ItemRow)

const BegunRow = Schema.Struct({
  ...Experiment.Stored.fields,
  component_versions: Schema.NullOr(Component.Versions)
})

const rowOf = ({ component_versions, experiment }: BegunExperiment) => ({
  id: text(experiment.id),
  user_id: textOrNull(experiment.user_id),
  dataset_id: text(experiment.dataset_id),
  dataset_version: experiment.dataset_version,
  kind: experiment.kind,
  component_id: text(experiment.component_id),
  component_version: textOrNull(experiment.component_version),
  component_versions: jsonOrNull(component_versions ?? null),
  name: textOrNull(experiment.name),
  scorers: json(experiment.scorers),
  concurrency: experiment.concurrency,
  is_isolated: experiment.is_isolated,
  status: experiment.status,
  items_total: experiment.items_total,
  error: textOrNull(experiment.error),
  summary: jsonOrNull(experiment.summary),
  job_id: text(experiment.job_id),
  created_at: experiment.created_at,
  updated_at: experiment.updated_at
})

const figuresOf = (item: Experiment.Item): Experiment.Figures => ({
  status: item.status,
  score: item.score,
  scores: item.scores.map(({ score, scorer }) => ({ scorer, score })),
  duration: item.duration,
  tokens: item.tokens,
  cost: item.cost,
  unpriced_tokens: item.unpriced_tokens,
  judge_tokens: item.judge_tokens,
  judge_cost: item.judge_cost
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { response: responseLimit } = yield* StoreLimits
  const compare = ExperimentComparison.make(sql)
  const summary = experimentSummary(sql)
  const pages = Page.make(sql)
  const storeIfAdmitted = EvaluationAdmission.make(sql)
  const shown = sql.literal(columns)
  const isUnfinished = sql.literal(EvaluationAdmission.unfinished)

  const isAt = ({ id, owner }: Key) => sql`x.id = ${text(id)} and ${Ownership.covers(sql, "x.user_id", owner)}`

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Experiment.Stored,
    execute: (key) => sql`select ${shown} from svc_experiments x where ${isAt(key)}`
  })

  const begin = SqlSchema.findOneOption({
    Request: unchecked<Pick<Key, "id">>(),
    Result: BegunRow,
    execute: ({ id }) =>
      sql`
        update svc_experiments x set status = 'RUNNING' where x.id = ${text(id)} and ${isUnfinished}
        returning ${shown}, x.component_versions`
  })

  const matching = ({ dataset_id, owner }: ExperimentFilter) =>
    sql`svc_experiments x where ${
      sql.and([
        Ownership.covers(sql, "x.user_id", owner),
        ...(dataset_id === undefined ? [] : [sql`x.dataset_id = ${text(dataset_id)}`])
      ])
    }`

  const record = (id: Experiment.Id, place: number, item: Experiment.Item) => {
    const { input, ...rest } = item
    const body = json(rest)
    return sql`
      with active as (
        select x.id from svc_experiments x where x.id = ${text(id)} and ${isUnfinished} for key share
      ), added as (
        insert into svc_experiment_items (experiment_id, place, item_id, status, score, figures, input, body, bytes)
        select id, ${place}::integer, ${text(item.item_id)}, ${item.status}, ${item.score}::double precision,
          ${json(figuresOf(item))}::json, ${textOrNull(input)}::text, ${body}::json, octet_length(${body}::text)
        from active on conflict do nothing
      )
      select 1 from active`
  }

  const finish = (id: Experiment.Id, { error, status, summary, updated_at }: End) =>
    sql`
      update svc_experiments x set status = ${status}, updated_at = ${updated_at}, error = ${
      textOrNull(error)
    }, summary = ${jsonOrNull(summary)}::json
      where x.id = ${text(id)} and ${isUnfinished} returning 1`

  const fail = ({ at, error }: Omit<FailedUser, "user_id">, isMeant: Statement.Fragment) =>
    Effect.map(
      sql`
        update svc_experiments x set status = 'FAILED', error = ${text(error)}, updated_at = ${at}
        where ${isMeant} returning 1`,
      (rows) => rows.length
    )

  const itemsOf = (id: Experiment.Id) => sql`svc_experiment_items i where i.experiment_id = ${text(id)}`

  return ExperimentStore.of({
    create: Effect.fn("SqlExperimentStore.create")((begun, job, limit) =>
      orUnavailable(
        storeIfAdmitted("svc_experiments", { row: rowOf(begun), user_id: begun.experiment.user_id, job, limit })
      )
    ),
    find: Effect.fn("SqlExperimentStore.find")((id, owner) => readOne(find({ id, owner }), { kind: "experiment", id })),
    list: Effect.fn("SqlExperimentStore.list")(function*(filter, page) {
      const from = matching(filter)
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("x.seq desc"), page })
      return { experiments: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    remove: Effect.fn("SqlExperimentStore.remove")((id, owner) =>
      orUnavailable(Effect.map(
        sql`delete from svc_experiments x where ${isAt({ id, owner })} returning 1`,
        (rows) => rows.length > 0
      ))
    ),
    begin: Effect.fn("SqlExperimentStore.begin")((id) =>
      Effect.map(
        changeOne(sql)(begin({ id }), { kind: "experiment", id }),
        Option.map(({ component_versions: versions, ...experiment }) => ({
          experiment,
          ...(versions === null ? {} : { component_versions: versions })
        }))
      )
    ),
    record: Effect.fn("SqlExperimentStore.record")((id, place, item) =>
      orUnavailable(Effect.map(record(id, place, item), (rows) => rows.length > 0))
    ),
    recorded: Effect.fn("SqlExperimentStore.recorded")((id) =>
      readOrUnavailable(Effect.map(
        sql<{ readonly item_id: Dataset.ItemId }>`select i.item_id from ${itemsOf(id)}`,
        (rows) => new Set(rows.map(({ item_id }) => item_id))
      ))
    ),
    summary: Effect.fn("SqlExperimentStore.summary")((id) =>
      readOrUnavailable(Effect.map(summary(id), ({ summary }) => summary))
    ),
    compare: Effect.fn("SqlExperimentStore.compare")((base, other, page) =>
      readOrUnavailable(compare(base, other, page))
    ),
    items: Effect.fn("SqlExperimentStore.items")(function*(id, page, item) {
      const from = item === undefined ? itemsOf(id) : sql`${itemsOf(id)} and i.item_id = ${text(item)}`
      const order = sql.literal("i.place")
      const bytes = yield* pages.bytesOf({ from, order, page }, "i.bytes")
      yield* admit("experimentItems", bytes, responseLimit)
      const rows = yield* pages.select({ columns: sql.literal("i.body, i.input"), from, order, page })
      const items = (yield* readableItems(rows)).map(({ body, input }) => ({ ...body, input }))
      return { items, total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    finish: Effect.fn("SqlExperimentStore.finish")((id, end) =>
      orUnavailable(Effect.map(finish(id, end), (rows) => rows.length > 0))
    ),
    failAll: Effect.fn("SqlExperimentStore.failAll")(({ user_id, ...failed }) =>
      orUnavailable(fail(failed, sql`${isUnfinished} and x.user_id = ${text(user_id)}`))
    ),
    failOrphaned: Effect.fn("SqlExperimentStore.failOrphaned")(({ before, error }) => {
      const seqs = OrphanedRows.seqs(sql, "svc_experiments", { before })
      return orUnavailable(fail({ at: before, error }, sql`x.seq = any(array(${seqs}))`))
    })
  })
})

export const layer: Layer.Layer<ExperimentStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  ExperimentStore,
  make
)
