// The part of earlier runs in the history of later ones: the messages, without system texts and without earlier history
// itself. The newest runs that fit into the limit are read, and their sizes are known without reading them.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Message from "@svc-runtime/domain/Message"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import { json } from "../sql/rows.ts"
import * as LargeTexts from "./LargeTexts.ts"

/** Of a message `m`. */
export const isHistory = `m.role not in ('system', 'developer') and not m.from_history`

/** Of a run `b`, in bytes. Runs that ended before the column existed are measured. */
export const size = `coalesce(b.history_bytes, (
      select sum(octet_length(m.body::text)) from svc_messages m where m.run_seq = b.seq and ${isHistory}
    ), 0)`

const unfinished = UnfinishedTurn.statuses.map((status) => `'${status}'`).join(", ")

/** For an index. */
export const statuses = `('COMPLETED', ${unfinished})`

/** Whether a run `b` is a part of the history of a run that has the column `skips_unfinished`. */
export const isShown = (skips: string): string =>
  `b.status in ${statuses} and (b.status = 'COMPLETED' or (b.history_bytes > 0 and not ${skips}))`

/**
 * `newest` selects runs `b`, the newest first, without its list of columns. Gives one row: `seqs` and `statuses` of the
 * runs that fit into `limit` together, their `bytes`, and how many were `omitted`.
 */
export const fitting = (newest: string, limit: string): string =>
  `select
    array_agg(seq) filter (where total <= ${limit}) as seqs,
    array_agg(status) filter (where total <= ${limit}) as statuses,
    coalesce(max(total) filter (where total <= ${limit}), 0)::bigint as bytes,
    count(*) filter (where total > ${limit})::int as omitted
  from (
    select seq, status, sum(size) over (order by seq desc) as total
    from (select b.seq, b.status, ${size} as size ${newest}) sized
  ) summed`

const storedOf = (seq: string) => `(select * from svc_messages stored where stored.run_seq = ${seq})`

/**
 * The messages of the runs of `found`, which `fitting` gives, oldest first: a JSON array as text. Those of an
 * unfinished run are one element, with its status.
 */
export const messages = (found: string, messagesOf = storedOf): string =>
  `coalesce((
    select '[' || string_agg(case when earlier.status = 'COMPLETED' then run_messages.bodies
      else '{"ended":"' || earlier.status || '","messages":[' || run_messages.bodies || ']}' end,
      ',' order by earlier.seq) || ']'
    from unnest(${found}.seqs, ${found}.statuses) as earlier (seq, status) cross join lateral (
      select string_agg(m.body::text, ',' order by m.position) as bodies from ${messagesOf("earlier.seq")} m
      where ${isHistory}
    ) run_messages
  ), '[]')`

const isHistoryMessage = ({ from_history, role }: Message.Message): boolean =>
  role !== "system" && role !== "developer" && !from_history

/** Long texts are stored separately. They count with their full length. */
const bytesApart = (message: Message.Message): number =>
  LargeTexts.references(message).reduce((sum, { length }) => sum + length, 0)

/**
 * The bytes of `bodies`, the texts of the messages, that count for the limit. An unfinished run counts with what is
 * shown of it.
 */
export const bytesOf = (
  status: AnyRun.Output["status"],
  messages: ReadonlyArray<Message.Message>,
  bodies: ReadonlyArray<string>
): number => {
  if (!UnfinishedTurn.isUnfinished(status)) return bytesIn(messages, bodies)
  const shown = UnfinishedTurn.shown(messages.filter(isHistoryMessage), status)
  return bytesIn(shown, shown.map(json))
}

const bytesIn = (messages: ReadonlyArray<Message.Message>, bodies: ReadonlyArray<string>): number =>
  messages.reduce(
    (sum, message, index) =>
      isHistoryMessage(message) ? sum + Buffer.byteLength(bodies[index] ?? "") + bytesApart(message) : sum,
    0
  )
