// Pages of a run's events, from rows of one event each and from folds of many. The page has no gap up to `bound`.
// After it, events may be missing from the page.
import type * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { SqlClient, Statement } from "effect/sql"
import * as RunRows from "./RunRows.ts"

/**
 * Bytes of one page, without a last event that begins before the limit. A fold is smaller than this, so each page has a
 * last event.
 */
const pageBytes = 1024 * 1024

const maxFolds = 1

/** Of a run `r`: the events behind an index and `bound`. Folds of a run do not overlap. */
export const make = (sql: SqlClient.SqlClient) => (after: Statement.Fragment, limit: number): Statement.Fragment =>
  sql`(
      select
        coalesce('[' || string_agg(c.body, ',' order by c.first_index) filter (where c.is_in) || ']', '[]') as events,
        least(
          min(c.first_index) filter (where not c.is_in) - 1,
          case when count(*) filter (where not c.is_fold) = ${limit}
            then max(c.last_index) filter (where not c.is_fold) end,
          case when count(*) filter (where c.is_fold) = ${maxFolds} then max(c.last_index) filter (where c.is_fold) end
        ) as bound
      from (
        select n.*, sum(octet_length(n.body)) over (order by n.first_index) - octet_length(n.body) < ${pageBytes} as is_in
        from (
          (select e.event_index as first_index, e.event_index as last_index, e.body::text as body, false as is_fold
            from svc_run_events e
            where e.run_seq = r.seq and e.event_index > ${after} order by e.event_index limit ${limit})
          union all
          (select f.first_index, f.last_index, f.body, true from svc_run_event_folds f
            where f.run_seq = r.seq and f.last_index > ${after} order by f.first_index
            limit ${Math.min(maxFolds, limit)})
        ) n
      ) c
    )`

type Page = Omit<typeof RunRows.EventsRow.Type, "status">

const indexOf = (event: Json.Object): number => Number(event["event_index"])

const isEvent = (event: object): event is RunEvent.RunEvent => "event" in event && "event_index" in event

/** The service wrote them, and responds with them unchanged: decoding would change the order of their keys. */
export const eventsOf = ({ after, bound, copy, events }: Page, limit: number): ReadonlyArray<RunEvent.RunEvent> =>
  events
    .filter((event) => indexOf(event) > after && (bound === null || indexOf(event) <= bound))
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .slice(0, limit)
    .map(RunRows.eventOf(copy))
    .filter(isEvent)
