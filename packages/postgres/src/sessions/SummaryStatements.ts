// The summaries of sessions. A new one is stored only if the earlier one, from which it was made, is still there.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import {
  maxPassedRuns,
  type NewSummary,
  pieceLimits,
  type SummaryThreshold,
  type Unsummarized
} from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as LargeTextReferences from "../runs/LargeTextReferences.ts"
import * as RunHistory from "../runs/RunHistory.ts"
import { statusesFor } from "../runs/runStatuses.ts"
import { inTransaction } from "../sql/inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { jsonOrNull, text, textOrNull, times } from "../sql/rows.ts"
import * as MemoryErasures from "./MemoryErasures.ts"

/** Characters of long texts that are read for a summary. */
const longTexts = 256 * 1024

const Piece = Schema.Struct({
  user_id: Schema.NullOr(Ids.UserId),
  summary: Schema.Unknown,
  version: Schema.String,
  covered: Schema.Array(Schema.Finite),
  first: Schema.Finite,
  last: Schema.Finite,
  is_run_included: Schema.Boolean,
  messages: Schema.Array(Schema.Unknown)
})
const readPieces = Schema.decodeUnknownEffect(Schema.Array(Piece))

const readSummary = Schema.decodeUnknownOption(Session.Summary)

const Chat = Schema.Struct({
  role: Message.Role,
  content: Message.Message.fields.content,
  from_history: Schema.Boolean
})
const readChat = Schema.decodeUnknownOption(Chat)
const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Of a body that cannot be read, nothing. */
const chatOf = (body: unknown) => Option.toArray(Option.flatMap(parse(body), readChat))

export const make = (sql: SqlClient.SqlClient, short: SqlClient.SqlClient) => {
  const references = LargeTextReferences.make(sql)
  const erasures = MemoryErasures.make(sql)
  const isPresent = sql.literal(Ownership.isPresent)
  const version = sql.literal("md5(concat_ws('/', s.summarized_run, s.passed_runs::text, s.summary::text))")
  /** Could be part of a later summary. */
  const isOpen = sql.literal(`p.status in ('PENDING', 'RUNNING', 'COMPLETED', ${statusesFor("continue")})`)
  const size = sql.literal(RunHistory.size)
  const covers = sql.literal(Path.covers(Path.ofLeaf))
  const isOnPath = sql.literal(Path.has({
    isBranched: "(select is_branched from session)",
    session: "(select session_id from session)",
    last: "(select leaf_run from session)"
  }, "b.seq"))
  /** Of a run `r` in the session `s`. */
  const coversForRun = sql.literal(Path.covers(Path.before("r", "s.is_branched")))

  const findPiece = (id: Session.Id, threshold: SummaryThreshold, including: Run.Id | undefined) => {
    const included = textOrNull(including ?? null)
    return sql<object>`
      with session as materialized (
        select s.user_id, s.session_id, s.leaf_run, s.is_branched,
          case when ${covers} then s.summary end as summary,
          case when ${covers} then s.summarized_run else 0 end as summarized_run,
          case when ${covers} then s.passed_runs else '{}' end as passed_runs, ${version} as version, coalesce((
          select m.erased_run from svc_memory_settings m where m.user_id = s.user_id
        ), 0) as erased, coalesce((
          select u.seq from svc_runs u
          where u.session_id = s.session_id and u.is_unfinished and u.parent_run_id is null
            and u.run_id is distinct from ${included}::text
          order by u.seq limit 1
        ), 9223372036854775807) as before
        from svc_sessions s where s.session_id = ${text(id)} and ${isPresent}
      ), found as (
        (
          select b.seq, false as is_run from svc_runs b
          where b.session_id = ${text(id)} and b.status = 'COMPLETED' and b.parent_run_id is null
            and b.seq > (select greatest(summarized_run, erased) from session) and b.seq < (select before from session)
            and ${isOnPath}
          order by b.seq limit ${pieceLimits.runs}
        )
        union all
        select b.seq, false from svc_runs b
        where b.seq = any(array(select unnest(passed_runs) from session))
          and b.session_id = ${text(id)} and b.status = 'COMPLETED' and b.seq < (select before from session)
          and ${isOnPath}
        union all
        select b.seq, true from svc_runs b
        where b.run_id = ${included}::text and b.session_id = ${text(id)} and b.status <> 'COMPLETED'
          and b.seq < (select before from session) and ${isOnPath} and exists (
            select from session where b.seq > greatest(summarized_run, erased) or b.seq = any(passed_runs)
          )
      ), candidates as materialized (
        -- a run that is not shown is covered unread
        select first.seq, first.is_run, coalesce(b.origin_seq, b.seq) as origin, shown.is_shown,
          case when shown.is_shown and not first.is_run then ${size} else 0 end as bytes
        from (select * from found order by seq limit ${pieceLimits.runs}) first
          join svc_runs b on b.seq = first.seq
          cross join lateral (
            select not b.without_memory and coalesce(b.origin_seq, b.seq) > (select erased from session) as is_shown
          ) shown
      ), piece as materialized (
        select * from (
          select candidates.*, sum(bytes) over (order by seq) as total, row_number() over (order by seq) as place
          from candidates
        ) placed where total <= ${pieceLimits.bytes} or place = 1
      ), chat as (
        select seq, position, body from (
          select m.run_seq as seq, m.position, m.body::text as body,
            sum(octet_length(m.body::text)) over (order by m.run_seq desc, m.position desc) as total
          from piece join svc_messages m on m.run_seq = piece.seq
          where piece.is_shown and m.role in ('user', 'assistant') and not m.from_history
        ) measured where total <= ${pieceLimits.messageBytes}
      )
      select session.user_id, session.summary, session.version,
        array(select seq::float8 from piece order by seq) as covered,
        (select coalesce(min(origin) filter (where is_shown), max(seq)) from piece)::float8 as first,
        greatest((select max(seq) from piece), session.summarized_run)::float8 as last,
        coalesce((select is_run from piece order by seq desc limit 1), false) as is_run_included,
        array(select body from chat order by seq, position) as messages
      from session
      where exists (select from piece) and (
        (select count(*) filter (where is_shown) from candidates) >= ${threshold.runs}
        or (select count(*) from candidates) >= ${pieceLimits.runs}
        or (select sum(bytes) from candidates) >= ${threshold.bytes}
      )`
  }

  // the leaf can have moved since the runs were read
  const store = (summary: NewSummary) => {
    const path = { ...Path.ofLeaf, last: String(summary.last) }
    return sql`
      with erasure as (${erasures.latest(summary.user_id, summary.at)})
      update svc_sessions s set summary = ${
      jsonOrNull(summary.summary)
    }, summarized_run = ${summary.last}, passed_runs = array(
        select p.seq from svc_runs p
        where p.session_id = s.session_id and p.parent_run_id is null and p.seq <= ${summary.last}
          and ${sql.literal(Path.has(path, "p.seq"))}
          and (not ${
      sql.literal(Path.covers(path))
    } or p.seq > s.summarized_run or p.seq = any(s.passed_runs)) and ${isOpen}
          and p.seq <> all(${times(summary.covered)}::bigint[])
        order by p.seq desc limit ${maxPassedRuns}
      )
      where s.session_id = ${text(summary.session_id)} and ${isPresent} and ${version} = ${summary.version}
        and (select erased_run from erasure) < ${summary.first}
      returning 1`
  }

  return {
    findSummary: Effect.fn("SqlSessionStore.findSummary")((id: Session.Id, run: Run.Id) =>
      readOrUnavailable(
        Effect.map(
          short<{ readonly summary: unknown }>`
            select s.summary from svc_sessions s where s.session_id = ${
            text(id)
          } and ${isPresent} and s.summary is not null and (s.is_branched is not true or exists (
            select from svc_runs r where r.run_id = ${text(run)} and ${coversForRun}
          ))`,
          ([row]) => row === undefined ? Option.none() : readSummary(row.summary)
        )
      )
    ),
    unsummarized: Effect.fn("SqlSessionStore.unsummarized")(
      function*(id: Session.Id, threshold: SummaryThreshold, including?: Run.Id) {
        const [piece] = yield* readPieces(yield* findPiece(id, threshold, including))
        if (piece === undefined) return Option.none()
        const { covered, first, is_run_included, last, messages, summary, user_id, version } = piece
        const whole = yield* references.resolve(id, messages.flatMap(chatOf), longTexts)
        const found: Unsummarized = {
          user_id,
          summary: Option.getOrNull(readSummary(summary)),
          version,
          covered,
          first,
          last,
          messages: whole,
          isRunIncluded: is_run_included
        }
        return Option.some(found)
      },
      readOrUnavailable
    ),
    summarize: Effect.fn("SqlSessionStore.summarize")((summary: NewSummary) =>
      orUnavailable(Effect.map(store(summary), ({ length }) => length > 0), summary)
    ),
    // The order of the locks is the same in every call, so that calls at once do not deadlock.
    removeSummaries: Effect.fn("SqlSessionStore.removeSummaries")((user_id) => {
      const removing = sql<{ readonly removed: number }>`
        with summarized as (
          select session_id from svc_sessions where user_id = ${text(user_id)} and summary is not null
          order by session_id for no key update
        ), removed as (
          update svc_sessions set summary = null where session_id in (select session_id from summarized) returning 1
        )
        select count(*)::int as removed from removed`
      // a copy of a session that waits for the number is seen, or sees the number
      const both = inTransaction(sql)(Effect.andThen(erasures.record(user_id), removing))
      return orUnavailable(Effect.map(both, ([row]) => row?.removed ?? 0))
    })
  } satisfies Partial<SessionStore["Service"]>
}
