// Reads the conversation of a session from its end, in pages of bounded size: a page has the newest runs that fit.
import { Schema } from "effect"
import * as Path from "../sql/Path.ts"
import * as RunHistory from "./RunHistory.ts"

/** Of a run `b`, in bytes: its part of later histories, and its system messages. */
const size = `${RunHistory.size} + coalesce((
      select sum(octet_length(m.body::text)) from svc_messages m
      where m.run_seq = b.seq and m.role in ('system', 'developer') and not m.from_history
    ), 0)`

/** What one statement reads. */
export const pageBytes = 4 * 1024 * 1024

const maxRuns = 1000

/** After all runs. */
export const newest = "9223372036854775807"

/** The pages of a conversation. A page has `maxRuns` runs, or it has `pageBytes` together with the next one. */
export const maxPages = (maxBytes: number): number => 100 + 2 * Math.ceil(maxBytes / pageBytes)

/**
 * Of a session `s`: the bytes of its newest runs. No more runs are read when they have `maxBytes` bytes.
 */
export const newestBytes = (maxBytes: string): string =>
  `(
    with recursive measured (before, total) as (
      select ${newest}::bigint, 0::numeric
      union all
      select piece.first, measured.total + piece.bytes from measured cross join lateral (
        select min(seq) as first, sum(size) as bytes from (
          select b.seq, ${RunHistory.size} as size from svc_runs b
          where b.session_id = s.session_id and b.parent_run_id is null and b.seq < measured.before
          order by b.seq desc limit ${maxRuns}
        ) sized
      ) piece where measured.total < ${maxBytes} and piece.first is not null
    ) select max(total) from measured
  )`

/** What a short statement reads: it shares a connection with others. */
const short = { bytes: 64 * 1024, runs: 20 }

/** True if a column is short. Values that are stored outside of the row are not read for it. */
const isShort = (column: string) =>
  `case when pg_column_size(${column}) > ${short.bytes} then false
    else coalesce(octet_length(${column}::text), 0) <= ${short.bytes} end`

/** True if the session `s` is short, without its runs. */
export const isShortSession = ["session_state", "metadata", "summary", "component_data"]
  .map((column) => isShort(`s.${column}`)).join(" and ")

export const Page = {
  chat: Schema.NullOr(Schema.String),
  /** The messages of its runs, including large texts. */
  bytes: Schema.Finite,
  /** The runs before this one remain to be read; null if there are none. */
  before: Schema.NullOr(Schema.String)
}

/** Every role: the chat history is complete. */
const isChat = `not m.from_history`

/** Whether a run of the session `s` is shown. The run that replaces another one has its messages too. */
const isShown = (run: string) =>
  `${run}.parent_run_id is null and ${run}.status <> 'REGENERATED' and ${Path.has(Path.ofLeaf, `${run}.seq`)}`

/** Of a session `s`. */
export const leaf = `(
    select leaf.run_id from svc_runs leaf
    where leaf.session_id = s.session_id and leaf.parent_run_id is null
      and (s.leaf_run is null or leaf.seq <= s.leaf_run)
    order by leaf.seq desc limit 1
  )`

/**
 * Of a session `s`, one row: the messages of the newest runs before `before`, as the inside of a JSON array. The newest
 * one is there whatever its size, as long as it fits into `maxBytes` alone.
 *
 * The messages are read of one run at a time: without statistics the planner would execute a plain join of the two
 * by reading all messages.
 */
export const page = (before: string, bytes: string, maxBytes: string): string =>
  `select
    string_agg(run_messages.bodies, ',' order by fitting.seq) as chat, coalesce(sum(fitting.size), 0)::float8 as bytes,
    (
      select max(r.seq)::text from svc_runs r
      where r.session_id = s.session_id and ${isShown("r")} and r.seq < coalesce(min(fitting.seq), ${before})
    ) as before
  from (
    select seq, size from (
      select seq, size, sum(size) over newest as total, row_number() over newest as place from (
        select b.seq, ${size} as size from svc_runs b
        where b.session_id = s.session_id and ${isShown("b")} and b.seq < ${before}
        order by b.seq desc limit ${maxRuns}
      ) sized window newest as (order by seq desc)
    ) summed where total <= ${bytes} or (place = 1 and size <= ${maxBytes})
  ) fitting cross join lateral (
    select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
    where m.run_seq = fitting.seq and ${isChat}
  ) run_messages`

/**
 * The same as `page` for a short statement: the newest runs, few and small. System messages do not count, because their
 * long texts are stored apart.
 */
export const shortPage = `select
    string_agg(run_messages.bodies, ',' order by newest.seq) as chat, coalesce(sum(run_messages.size), 0)::float8 as bytes,
    (max(newest.seq) filter (where not newest.fits))::text as before
  from (
    select b.seq, row_number() over downwards <= ${short.runs}
      and sum(coalesce(b.history_bytes, case when b.is_unfinished then 0 else ${short.bytes + 1} end)) over downwards
        <= ${short.bytes} as fits
    from (
      select * from svc_runs b where b.session_id = s.session_id and ${isShown("b")}
      order by b.seq desc limit ${short.runs + 1}
    ) b window downwards as (order by b.seq desc)
  ) newest left join lateral (
    select string_agg(m.body::text, ',' order by m.position) as bodies, sum(octet_length(m.body::text)) as size
    from svc_messages m where newest.fits and m.run_seq = newest.seq and ${isChat}
  ) run_messages on true`
