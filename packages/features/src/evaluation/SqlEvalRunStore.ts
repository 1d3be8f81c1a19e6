// `EvalRunStore` in PostgreSQL.
import * as Json from "@svc-runtime/domain/Json"
import type * as Sort from "@svc-runtime/domain/Sort"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { changeOne, readOne } from "@svc-runtime/postgres/sql/readOne"
import { json, jsonOrNull, text, textOrNull, texts, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as EvalRun from "./EvalRun.ts"
import { type End, type EvalRunFilter, EvalRunStore, isSortable } from "./EvalRunStore.ts"
import * as EvaluationAdmission from "./EvaluationAdmission.ts"
import * as OrphanedRows from "./OrphanedRows.ts"

/** Of an evaluation run `e`. */
const shown = `e.id, e.agent_id, e.model_id, e.model_provider, e.team_id, e.workflow_id, e.name,
  e.evaluated_component_name, e.eval_type, e.eval_data, e.eval_input, e.status, e.done as runs_done,
  e.total as runs_total, e.error, e.job_id,
  e.request, e.created_at::float8 as created_at, e.updated_at::float8 as updated_at`

/** What each end of an evaluation sets. */
const ended = "ended_at = extract(epoch from now())::bigint, request = null, user_id = null"

interface Key {
  readonly id: EvalRun.Id
}

const readable = ReadableRows.make(EvalRun.Stored, "eval_run_id")
const decodeResults = Schema.decodeUnknownEffect(Schema.Struct({ results: Schema.Array(Json.Object) }))

const rowOf = (evalRun: EvalRun.Stored) => ({
  id: text(evalRun.id),
  eval_type: evalRun.eval_type,
  agent_id: textOrNull(evalRun.agent_id),
  team_id: textOrNull(evalRun.team_id),
  workflow_id: textOrNull(evalRun.workflow_id),
  model_id: textOrNull(evalRun.model_id),
  model_provider: textOrNull(evalRun.model_provider),
  name: textOrNull(evalRun.name),
  evaluated_component_name: textOrNull(evalRun.evaluated_component_name),
  eval_data: json(evalRun.eval_data),
  eval_input: jsonOrNull(evalRun.eval_input),
  status: evalRun.status,
  done: evalRun.runs_done,
  total: evalRun.runs_total,
  error: textOrNull(evalRun.error),
  job_id: text(evalRun.job_id),
  request: jsonOrNull(evalRun.request),
  user_id: textOrNull(evalRun.request?.user_id ?? null),
  created_at: evalRun.created_at,
  updated_at: evalRun.updated_at
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { response: responseLimit } = yield* StoreLimits
  const pages = Page.make(sql)
  const storeIfAdmitted = EvaluationAdmission.make(sql)
  const columns = sql.literal(shown)
  const isUnfinished = sql.literal(EvaluationAdmission.unfinished)
  const endedNow = sql.literal(ended)

  const find = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: EvalRun.Stored,
    execute: ({ id }) => sql`select ${columns} from svc_eval_runs e where e.id = ${text(id)}`
  })

  const rename = SqlSchema.findOneOption({
    Request: unchecked<Key & { readonly name: string; readonly at: number }>(),
    Result: EvalRun.Stored,
    execute: ({ at, id, name }) =>
      sql`
        update svc_eval_runs e set name = ${text(name)}, updated_at = ${at} where e.id = ${text(id)}
        returning ${columns}`
  })

  const begin = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: EvalRun.Stored,
    execute: ({ id }) =>
      sql`
        update svc_eval_runs e set status = 'RUNNING' where e.id = ${text(id)} and ${isUnfinished}
        returning ${columns}`
  })

  const matching = ({ agent_id, kind, model_id, statuses, team_id, types, workflow_id }: EvalRunFilter) => {
    const ids = { agent_id, team_id, workflow_id, model_id }
    return sql`svc_eval_runs e where ${
      sql.and([
        sql`e.status = any(${texts(statuses)}::text[])`,
        ...Object.entries(ids).flatMap(([name, id]) =>
          id === undefined ? [] : [sql`${sql.literal(`e.${name}`)} = ${text(id)}`]
        ),
        ...(kind === undefined ? [] : [sql.literal(`e.${kind}_id is not null`)]),
        ...(types === undefined ? [] : [sql`e.eval_type = any(${texts(types)}::text[])`])
      ])
    }`
  }

  const sorted = ({ by, order }: Sort.Sort) => {
    if (!isSortable(by)) return sql.literal(`e.seq ${order}`)
    // a text without a collation of its own
    const collation = by === "evaluated_component_name" ? " collate \"C\"" : ""
    return sql.literal(`e.${by}${collation} ${order}, e.seq ${order}`)
  }

  const finish = (id: EvalRun.Id, { error, eval_data, eval_input, status }: End) => {
    const [data, input] = [json(eval_data), jsonOrNull(eval_input)]
    return sql`
      with ended as (
        update svc_eval_runs e set status = ${status}, error = ${textOrNull(error)}, ${endedNow},
          eval_data = ${data}::json, eval_input = ${input}::json,
          bytes = octet_length(${data}::text) + coalesce(octet_length(${input}::text), 0)
        where e.id = ${text(id)} and ${isUnfinished} returning e.id
      ), gone as (delete from svc_eval_results r using ended where r.eval_id = ended.id)
      select 1 from ended`
  }

  const fail = (error: string, isMeant: Statement.Fragment) =>
    sql`
      with ended as (
        update svc_eval_runs e set status = 'FAILED', error = ${text(error)}, ${endedNow}
        where ${isMeant}
        returning e.id
      ), gone as (delete from svc_eval_results r using ended where r.eval_id = ended.id)
      select 1 from ended`

  return EvalRunStore.of({
    create: Effect.fn("SqlEvalRunStore.create")((evalRun, job, limit) =>
      orUnavailable(
        storeIfAdmitted("svc_eval_runs", { row: rowOf(evalRun), user_id: evalRun.request?.user_id ?? null, job, limit })
      )
    ),
    find: Effect.fn("SqlEvalRunStore.find")((id) => readOne(find({ id }), { kind: "evaluation run", id })),
    list: Effect.fn("SqlEvalRunStore.list")(function*(filter, page, sort) {
      const [from, order] = [matching(filter), sorted(sort)]
      const bytes = yield* pages.bytesOf({ from, order, page }, "e.bytes")
      yield* admit("evalRuns", bytes, responseLimit)
      const rows = yield* pages.select({ columns, from, order, page })
      const total = yield* pages.totalOf(rows, { from, page })
      return { evalRuns: yield* readable(rows), total }
    }, readOrUnavailable),
    rename: Effect.fn("SqlEvalRunStore.rename")((id, name, at) =>
      changeOne(sql)(rename({ id, name, at }), { kind: "evaluation run", id })
    ),
    remove: Effect.fn("SqlEvalRunStore.remove")((ids) =>
      orUnavailable(Effect.map(
        sql<{ readonly job_id: string; readonly is_unfinished: boolean }>`
          delete from svc_eval_runs where id = any(${texts(ids.map(text))}::text[])
          returning job_id, ${isUnfinished} as is_unfinished`,
        (rows) => rows.flatMap(({ is_unfinished, job_id }) => is_unfinished ? [job_id] : [])
      ))
    ),
    begin: Effect.fn("SqlEvalRunStore.begin")((id) => changeOne(sql)(begin({ id }), { kind: "evaluation run", id })),
    results: Effect.fn("SqlEvalRunStore.results")((id) =>
      readOne(
        Effect.map(
          Effect.flatMap(
            sql`select body from svc_eval_results where eval_id = ${text(id)} order by place`,
            (rows) => decodeResults({ results: rows.map(({ body }) => body) })
          ),
          ({ results }) => results
        ),
        { kind: "evaluation run", id }
      )
    ),
    record: Effect.fn("SqlEvalRunStore.record")((id, place, result) =>
      orUnavailable(Effect.map(
        sql`
          with active as (
            update svc_eval_runs e set done = greatest(e.done, ${place + 1}::integer)
            where e.id = ${text(id)} and ${isUnfinished} returning e.id
          ), added as (
            insert into svc_eval_results (eval_id, place, body)
            select id, ${place}::integer, ${json(result)}::json from active on conflict do nothing
          )
          select 1 from active`,
        (rows) => rows.length > 0
      ))
    ),
    finish: Effect.fn("SqlEvalRunStore.finish")((id, end) =>
      orUnavailable(Effect.map(finish(id, end), (rows) => rows.length > 0))
    ),
    failAll: Effect.fn("SqlEvalRunStore.failAll")(({ error, user_id }) =>
      orUnavailable(
        Effect.map(fail(error, sql`${isUnfinished} and e.user_id = ${text(user_id)}`), (rows) => rows.length)
      )
    ),
    failOrphaned: Effect.fn("SqlEvalRunStore.failOrphaned")((orphaned) =>
      orUnavailable(
        Effect.map(
          fail(orphaned.error, sql`e.seq = any(array(${OrphanedRows.seqs(sql, "svc_eval_runs", orphaned)}))`),
          (rows) => rows.length
        )
      )
    )
  })
})

export const layer: Layer.Layer<EvalRunStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(
  EvalRunStore,
  make
)
