// `RolloutStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text } from "@svc-runtime/postgres/sql/rows"
import { Array, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { maxScore } from "../feedback/Feedback.ts"
import * as Rollout from "./Rollout.ts"
import { maxOpen, maxRuns, RolloutStore, type RunsOfVersions } from "./RolloutStore.ts"
import * as VersionFigures from "./VersionFigures.ts"

const columns = `r.id, r.component_id, r.state, r.revision, r.stops, r.body, r.created_at::float8 as created_at,
  r.updated_at::float8 as updated_at`

interface Row {
  readonly body: object
}

const readStored = ReadableRows.make(Rollout.Stored, "rollout_id")

/** What is in columns of its own is as it is there. */
const readable = (rows: ReadonlyArray<object>) =>
  readStored((rows as ReadonlyArray<Row>).map(({ body, ...row }) => ({ ...body, ...row })))

const readFigures = ReadableRows.make(VersionFigures.Figures)
const readScores = ReadableRows.make(VersionFigures.Scores)

const isTaken = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(columns)

  /** Of a run `r`. That of one that another run replaces is in its output. */
  const endedAs = sql`
    case r.status when 'REGENERATED' then svc_guard_json(r.output::text)::json->>'status' else r.status end`

  /** A with clause: the newest runs that ended, each with its version. */
  const found = ({ component: { id, kind }, owner, since, until }: RunsOfVersions) =>
    sql`
      found as materialized (
        select r.run_id, ${endedAs} as status, r.duration, r.usage, r.component_version as version
        from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where coalesce(r.parent_run_id, '') = '' and r.component_id = ${text(id)} and r.kind = ${kind}
          and r.updated_at >= ${since}::bigint and r.updated_at < ${until}::bigint
          and r.status in ('COMPLETED', 'ERROR', 'CANCELLED', 'REGENERATED')
          and ${endedAs} in ('COMPLETED', 'ERROR', 'CANCELLED') and ${Ownership.isVisible(sql, owner)}
          and not s.is_evaluation and r.component_version is not null
        order by r.updated_at desc, r.seq desc limit ${maxRuns}
      )`

  return RolloutStore.of({
    open: readOrUnavailable(Effect.flatMap(
      sql`select ${shown} from svc_rollouts r where r.state <> 'ended' order by r.seq limit ${maxOpen}`,
      readable
    )),
    latest: Effect.fn("SqlRolloutStore.latest")((component_id) =>
      readOrUnavailable(Effect.map(
        Effect.flatMap(
          sql`
            select ${shown} from svc_rollouts r where r.component_id = ${text(component_id)}
            order by r.seq desc limit 1`,
          readable
        ),
        Array.head
      ))
    ),
    list: Effect.fn("SqlRolloutStore.list")(function*(component_id, page) {
      const from = sql`svc_rollouts r where r.component_id = ${text(component_id)}`
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("r.seq desc"), page })
      return { rollouts: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    create: Effect.fn("SqlRolloutStore.create")((rollout) => {
      const { component_id, created_at, id, revision, state, stops, updated_at, ...body } = rollout
      const insert = sql`
        insert into svc_rollouts (id, component_id, state, revision, stops, body, created_at, updated_at)
        select ${text(id)}, ${text(component_id)}, ${state}, ${revision}::int, ${stops}::int, ${
        json(body)
      }::json, ${created_at}::bigint, ${updated_at}::bigint
        where (select count(*) from (select from svc_rollouts where state <> 'ended' limit ${maxOpen}) o) < ${maxOpen}
        returning 1`
      return orUnavailable(Effect.catchIf(
        Effect.map(insert, (rows) => rows.length > 0 ? "created" as const : "full" as const),
        isTaken,
        () => Effect.succeed("taken" as const)
      ))
    }),
    replace: Effect.fn("SqlRolloutStore.replace")((rollout) => {
      const { component_id: _, created_at: __, id, revision, state, stops, updated_at, ...body } = rollout
      return orUnavailable(Effect.map(
        sql`
          update svc_rollouts set state = ${state}, revision = ${revision}::int, stops = ${stops}::int,
            body = ${json(body)}::json, updated_at = ${updated_at}::bigint
          where id = ${text(id)} and revision = ${revision - 1}::int returning 1`,
        (rows) => rows.length > 0
      ))
    }),
    figures: Effect.fn("SqlRolloutStore.figures")(function*(runs) {
      const rows = yield* sql<{ readonly is_complete: boolean; readonly figures: ReadonlyArray<object> }>`
        with ${found(runs)}, figures as (
          select version,
            (count(*) filter (where status = 'COMPLETED'))::int as completed,
            (count(*) filter (where status = 'ERROR'))::int as failed,
            (count(*) filter (where status = 'CANCELLED'))::int as cancelled,
            (count(duration) filter (where status <> 'CANCELLED'))::int as timed,
            (percentile_disc(0.5) within group (order by duration) filter (where status <> 'CANCELLED'))::float8 as p50,
            (percentile_disc(0.95) within group (order by duration) filter (where status <> 'CANCELLED'))::float8 as p95,
            coalesce(sum((usage->>'input_tokens')::float8), 0) as input_tokens,
            coalesce(sum((usage->>'output_tokens')::float8), 0) as output_tokens,
            coalesce(sum((usage->>'total_tokens')::float8), 0) as total_tokens,
            count(usage->>'cost')::int as priced, coalesce(sum((usage->>'cost')::float8), 0) as cost
          from found group by version
        )
        select (select count(*) from found) < ${maxRuns} as is_complete, coalesce((
          select json_agg(f order by f.version) from figures f
        ), '[]') as figures`
      return {
        figures: yield* readFigures(rows[0]?.figures ?? []),
        isComplete: rows[0]?.is_complete ?? true
      }
    }, readOrUnavailable),
    scores: Effect.fn("SqlRolloutStore.scores")((runs) =>
      readOrUnavailable(Effect.flatMap(
        sql`
          with ${found(runs)}
          select version, key, source, count(*)::int as count,
            count(distinct run_id)::int as runs, avg(
            case json_typeof(score)
              when 'number' then least(${maxScore}, greatest(${-maxScore}, score::text::float8))
              when 'boolean' then score::text::boolean::int::float8 end
          ) as mean
          from found join svc_feedback using (run_id) group by version, key, source order by version, key, source`,
        readScores
      ))
    )
  })
})

export const layer: Layer.Layer<RolloutStore, never, SqlClient.SqlClient> = Layer.effect(RolloutStore, make)
