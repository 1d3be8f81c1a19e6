// The search of past sessions: one statement over the newest sessions of a user with a component, of bounded size.
import * as Session from "@svc-runtime/domain/Session"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { type PastQuery, type PastSession, searchLimits } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { text, texts } from "../sql/rows.ts"

interface Row {
  readonly session_id: Session.Id
  readonly name: string
  readonly created_at: number
  readonly summary: unknown
  readonly runs: ReadonlyArray<string>
}

const readSummary = Schema.decodeUnknownOption(Session.Summary)

/** A text in a JSON column. PostgreSQL cannot parse JSON with U+0000 or a lone surrogate: it is not searched. */
export const textAt = (column: string, key: string) =>
  `case when ${column}::text ~* '\\\\u(0000|d[89a-f])' then '' else coalesce(${column} ->> '${key}', '') end`

const limits = searchLimits

export const make = (sql: SqlClient.SqlClient): SessionStore["Service"]["searchPast"] => {
  const literal = (value: string | number) => sql.literal(String(value))

  const isSummaryOnPath = literal(Path.covers(Path.ofLeaf))
  const onPath = literal(Path.has(
    { isBranched: "past.is_branched", session: "past.session_id", last: "past.leaf_run" },
    "b.seq"
  ))

  const find = ({ componentId, current, kind, runs, sessions, user_id, words }: PastQuery) =>
    sql<Row>`
      with newest as materialized (
        select s.session_id, s.seq, s.session_name, s.derived_name, s.created_at, s.leaf_run, s.is_branched,
          case when ${isSummaryOnPath} then s.summary end as summary,
          row_number() over (order by s.created_at desc, s.seq desc) as place
        from svc_sessions s
        where s.user_id = ${text(user_id)} and coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(componentId)}
          and ${literal(Ownership.isPresent)} and s.session_type = ${kind} and s.session_id <> ${text(current)}
        order by s.created_at desc, s.seq desc limit ${literal(limits.sessions)}
      ), past as materialized (
        -- the first run is the oldest one, also of a copy
        select newest.session_id, newest.seq, newest.session_name, newest.summary, newest.created_at, newest.place,
          newest.leaf_run, newest.is_branched,
          case when first.without_memory is not true then newest.derived_name end as derived_name
        from newest left join lateral (
          select f.without_memory, coalesce(f.origin_seq, f.seq) as origin from svc_runs f
          where f.session_id = newest.session_id order by f.seq limit 1
        ) first on true
        where coalesce(first.origin > (
          select m.erased_run from svc_memory_settings m where m.user_id = ${text(user_id)}
        ), true)
      ), newest_runs as materialized (
        select past.session_id, r.seq, sum(r.bytes) over (order by past.place, r.seq desc) as total
        from past cross join lateral (
          select b.seq, b.without_memory, coalesce(b.history_bytes, 0) as bytes from svc_runs b
          where b.session_id = past.session_id and b.status = 'COMPLETED' and b.parent_run_id is null
            and ${onPath}
          order by b.seq desc limit ${literal(limits.runs)}
        ) r where not r.without_memory
      ), dialogues as materialized (
        select r.session_id, r.seq, string_agg(chat.role || ': ' || chat.content, E'\n' order by chat.position) as text
        from newest_runs r cross join lateral (
          select m.position, m.role, ${literal(textAt("m.body", "content"))} as content from (
            select m.position, m.role, m.body from svc_messages m
            where m.run_seq = r.seq and m.role in ('user', 'assistant') and not m.from_history
            order by m.position limit ${literal(limits.messages)}
          ) m where octet_length(m.body::text) <= ${literal(limits.messageBytes)}
        ) chat
        where r.total <= ${literal(limits.bytes)} and chat.content <> '' group by r.session_id, r.seq
      ), words as (
        select lower(word) as word from unnest(${texts(words.map(text))}::text[]) as w (word)
      ), ranked_runs as materialized (
        select dialogues.*, array(select word from words where strpos(lower(dialogues.text), word) > 0) as found from dialogues
      ), ranked as (
        select past.*, (
          select count(*) from words w where strpos(lower(concat_ws(
            E'\n', past.session_name, past.derived_name, ${literal(textAt("past.summary", "summary"))}
          )), w.word) > 0 or exists (
            select from ranked_runs r where r.session_id = past.session_id and w.word = any(r.found)
          )
        ) as score
        from past
      )
      select ranked.session_id, left(coalesce(ranked.session_name, ranked.derived_name, ''), ${
      literal(limits.name)
    }) as name, ranked.created_at::float8 as created_at, ranked.summary, array(
          select left(r.text, ${literal(limits.runText)}) from ranked_runs r where r.session_id = ranked.session_id
          order by cardinality(r.found) desc, r.seq desc limit ${Math.min(runs, limits.foundRuns)}
        ) as runs
      from ranked where score > 0 or (not exists (select from words) and (
        coalesce(ranked.session_name, ranked.derived_name, '') <> '' or ranked.summary is not null
        or exists (select from ranked_runs r where r.session_id = ranked.session_id)
      ))
      order by score desc, place limit ${Math.min(sessions, limits.foundSessions)}`

  return Effect.fn("SqlSessionStore.searchPast")((query: PastQuery) =>
    readOrUnavailable(
      Effect.map(find(query), (rows) =>
        rows.map(({ summary, ...row }): PastSession => ({ ...row, summary: Option.getOrNull(readSummary(summary)) })))
    )
  )
}
