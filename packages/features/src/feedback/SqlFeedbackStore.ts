// `FeedbackStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import type * as Owner from "@svc-runtime/domain/Owner"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Feedback from "./Feedback.ts"
import { type FeedbackFilter, FeedbackFull, FeedbackStore } from "./FeedbackStore.ts"

const columns = `f.id, f.run_id, f.session_id, f.kind, f.component_id, f.user_id, f.source, f.key, f.score, f.comment,
  f.created_at::float8 as created_at, f.updated_at::float8 as updated_at`

const readable = ReadableRows.make(Feedback.Stored, "feedback_id")

interface Found {
  /** Null if there is no feedback. */
  readonly id: string | null
}

interface Put extends Found {
  readonly is_found: boolean
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)
  const shown = sql.literal(columns)

  const isCovered = (owner: Owner.Owner) =>
    sql.and([Ownership.covers(sql, "f.owner_id", owner), Ownership.coversSession(sql, "f.session_id", owner)])

  /** A run `r` with its session `s`, if the owner may see it. */
  const visibleRun = (run_id: string, owner: Owner.Owner): Statement.Fragment =>
    sql`svc_runs r join svc_sessions s on s.session_id = r.session_id
      where r.run_id = ${text(run_id)} and ${Ownership.isVisible(sql, owner)}`

  const put = ({ at, comment, id, key, run_id, score, source, user_id }: Feedback.New, owner: Owner.Owner) => {
    const ofRun = sql`svc_feedback o where o.run_id = ${text(run_id)}`
    return sql<Put>`
      with run as materialized (
        select r.run_id, r.session_id, r.kind, r.component_id, s.user_id as owner_id from ${visibleRun(run_id, owner)}
        for key share of r
      ), put as (
        insert into svc_feedback as f (
          id, run_id, session_id, kind, component_id, owner_id, user_id, source, key, score, comment, created_at,
          updated_at
        )
        select ${text(id)}, run_id, session_id, kind, component_id, owner_id, ${textOrNull(user_id)}::text,
          ${source}::text, ${text(key)}::text, ${json(score)}::json, ${textOrNull(comment)}::text, ${at}::bigint,
          ${at}::bigint
        from run
        where (select count(*) from (select from ${ofRun} limit ${Feedback.maxPerRun}) o) < ${Feedback.maxPerRun}
          or exists (select from ${ofRun} and o.key = ${text(key)} and o.source = ${source}
            and o.user_id is not distinct from ${textOrNull(user_id)}::text)
        on conflict (run_id, key, source, (coalesce(user_id, ''))) do update set
          score = excluded.score, comment = excluded.comment, updated_at = excluded.updated_at
        returning ${shown}
      )
      select put.*, exists (select from run) as is_found from (values (1)) one left join put on true`
  }

  const matching = ({ component, key, owner, run_id, session_id, source }: FeedbackFilter) => {
    const texts = { run_id, session_id, key, source, kind: component?.kind, component_id: component?.id }
    return sql`svc_feedback f where ${
      sql.and([
        isCovered(owner),
        ...Object.entries(texts).flatMap(([name, value]) =>
          value === undefined ? [] : [sql`${sql.literal(`f.${name}`)} = ${text(value)}`]
        )
      ])
    }`
  }

  return FeedbackStore.of({
    put: Effect.fn("SqlFeedbackStore.put")(function*(feedback, owner) {
      const rows = yield* put(feedback, owner)
      const [stored] = yield* readable(rows.filter(({ id }) => id !== null))
      if (stored !== undefined) return Option.some(stored)
      return rows.some(({ is_found }) => is_found) ? yield* new FeedbackFull() : Option.none()
    }, orUnavailable),
    ofRun: Effect.fn("SqlFeedbackStore.ofRun")(function*(run_id, owner) {
      const rows = yield* sql<Found>`
        with run as materialized (select r.run_id from ${visibleRun(run_id, owner)})
        select ${shown} from run left join svc_feedback f on f.run_id = run.run_id order by f.seq`
      return rows.length === 0
        ? Option.none()
        : Option.some(yield* readable(rows.filter(({ id }) => id !== null)))
    }, readOrUnavailable),
    list: Effect.fn("SqlFeedbackStore.list")(function*(filter, page) {
      const from = matching(filter)
      const rows = yield* pages.select({ columns: shown, from, order: sql.literal("f.seq desc"), page })
      return { feedback: yield* readable(rows), total: yield* pages.totalOf(rows, { from, page }) }
    }, readOrUnavailable),
    remove: Effect.fn("SqlFeedbackStore.remove")((id, owner) =>
      orUnavailable(Effect.map(
        sql`delete from svc_feedback f where f.id = ${text(id)} and ${isCovered(owner)}
          returning 1`,
        (rows) => rows.length > 0
      ))
    ),
    removeOf: Effect.fn("SqlFeedbackStore.removeOf")((user_id) =>
      orUnavailable(Effect.map(
        sql<{ readonly removed: number }>`
          with removed as (delete from svc_feedback where user_id = ${text(user_id)} returning 1)
          select count(*)::int as removed from removed`,
        ([row]) => row?.removed ?? 0
      ))
    )
  })
})

export const layer: Layer.Layer<FeedbackStore, never, SqlClient.SqlClient> = Layer.effect(FeedbackStore, make)
