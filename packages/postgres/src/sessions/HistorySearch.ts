// The search of the messages of a session before a run, on its path: one statement of bounded size.
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { type FoundMessage, historyLimits, type HistoryQuery } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as RunHistory from "../runs/RunHistory.ts"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import * as Path from "../sql/Path.ts"
import { text, textOrNull, texts } from "../sql/rows.ts"
import { textAt } from "./PastSessions.ts"

const limits = historyLimits

/** What a check or a provider has refused is not shown again. */
const isIncluded = "m.body->>'in_context' is distinct from 'left_out'"

export const make = (sql: SqlClient.SqlClient): SessionStore["Service"]["searchHistory"] => {
  const literal = (value: string | number) => sql.literal(String(value))

  const find = ({ except, run_id, session_id, words }: HistoryQuery) =>
    sql<FoundMessage>`
      with asking as materialized (
        select r.seq, r.session_id, r.skips_unfinished, ${literal(Path.of(Path.before("r", "s.is_branched")))} as path
        from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where r.run_id = ${text(run_id)} and r.session_id = ${text(session_id)} offset 0
      ), earlier as materialized (
        select sized.seq, sum(sized.bytes) over (order by sized.seq desc) as total
        from asking cross join lateral (
          select b.seq, ${literal(RunHistory.size)} as bytes from svc_runs b
          where b.session_id = asking.session_id and b.parent_run_id is null
            and ${
      literal(RunHistory.isShown("asking.skips_unfinished"))
    } and b.seq < asking.seq and b.seq <@ asking.path
          order by b.seq desc limit ${literal(limits.runs)}
        ) sized
      ), words as (
        select lower(word) as word from unnest(${texts(words.map(text))}::text[]) as w (word)
      ), shown as materialized (
        select e.seq, m.position, m.role, ${literal(textAt("m.body", "tool_name"))} as tool_name,
          ${literal(textAt("m.body", "content"))} as content
        from earlier e cross join lateral (
          select m.position, m.role, m.body from svc_messages m
          where m.run_seq = e.seq and not coalesce(m.body->>'tool_name' = ${textOrNull(except ?? null)}::text, false)
            and ${literal(RunHistory.isHistory)} and ${literal(isIncluded)} offset 0
        ) m
        where e.total <= ${literal(limits.bytes)} and octet_length(m.body::text) <= ${literal(limits.messageBytes)}
      ), found as (
        select shown.*, places.count, places.first
        from shown cross join lateral (
          select count(*), min(strpos(lower(shown.content), word)) as first from words
          where strpos(lower(shown.content), word) > 0
        ) places
        where places.count > 0
      )
      select role, tool_name, substr(content, greatest(1, first - ${literal(limits.before)}), ${
      literal(limits.text)
    }) as text
      from found order by count desc, seq desc, position desc limit ${literal(limits.found)}`

  return Effect.fn("SqlSessionStore.searchHistory")((query: HistoryQuery) => readOrUnavailable(find(query)))
}
