// The statements that a run costs per step, for the runs of many callers at once.
import * as EventText from "@svc-runtime/engine/run/events/EventText"
import type { EventBatch, JournalWrite } from "@svc-runtime/engine/run/store/RunWrites"
import { integers, json, text, texts } from "../sql/rows.ts"

// Only the holder of the lease writes into an executing run. Its row is locked against a takeover during the statement,
// and after a takeover it is not found under the old attempt.

/** Of the runs that are `held`, as `eventColumns` has them. `count`: how many journal entries a run has with them. */
const insertEvents = (count: string) =>
  `insert into svc_run_events (run_seq, event_index, kind, body, journal_entries)
  select held.seq, e.event_index, e.kind, e.body, ${count}
  from held join unnest($3::integer[], $4::integer[], $5::text[], $6::json[]) as e (place, event_index, kind, body)
    on e.place = held.place
  on conflict do nothing`

/**
 * Of the runs: $1 ids, $2 attempts. Of their events: $3 places of the runs, $4 indexes, $5 kinds, $6 bodies. The
 * events of a run that has ended are stored with its end.
 */
export const appendEvents = `
with held as (
  select r.seq, r.run_id, r.attempt, h.place
  from unnest($1::text[], $2::integer[]) with ordinality as h (run_id, attempt, place)
  join svc_runs r on r.run_id = h.run_id and r.attempt = h.attempt and r.status in ('PENDING', 'RUNNING')
  for share of r
), events as (
  ${insertEvents("null::integer")}
)
select run_id, attempt from held`

/** Values as they are sent, with what they weigh. */
export interface EncodedEvents {
  readonly batch: EventBatch
  readonly bodies: ReadonlyArray<string>
  readonly bytes: number
}

export interface EncodedStep extends EncodedEvents {
  readonly position: number
  readonly entry: string
}

export const encodeEvents = (batch: EventBatch): EncodedEvents => {
  const bodies = batch.events.map(EventText.of)
  return { batch, bodies, bytes: bodies.reduce((sum, { length }) => sum + length, 0) }
}

export const encodeStep = ({ entry, position, ...batch }: JournalWrite): EncodedStep => {
  const [encoded, body] = [encodeEvents(batch), json(entry)]
  return { ...encoded, position, entry: body, bytes: encoded.bytes + body.length }
}

const eventColumns = (runs: ReadonlyArray<EncodedEvents>): ReadonlyArray<unknown> => {
  const events = runs.flatMap(({ batch }) => batch.events)
  return [
    texts(runs.map(({ batch }) => text(batch.run_id))),
    integers(runs.map(({ batch }) => batch.attempt)),
    integers(runs.flatMap(({ bodies }, index) => bodies.map(() => index + 1))),
    integers(events.map(({ event_index }) => event_index)),
    texts(events.map(({ event }) => event)),
    texts(runs.flatMap(({ bodies }) => bodies))
  ]
}

export const appendEventsParameters = (batches: ReadonlyArray<EncodedEvents>): ReadonlyArray<unknown> =>
  eventColumns(batches)

/** As above, and of the runs: $7 positions, $8 entries. A run has at most one entry in a statement at a position. */
export const record = `
with held as (
  select r.seq, h.place, h.position, h.body
  from unnest($1::text[], $2::integer[], $7::integer[], $8::json[]) with ordinality
    as h (run_id, attempt, position, body, place)
  join svc_runs r on r.run_id = h.run_id and r.attempt = h.attempt and r.status in ('PENDING', 'RUNNING')
  for share of r
), entries as (
  insert into svc_run_journal (run_seq, position, body) select seq, position, body from held
  on conflict do nothing
), events as (
  ${insertEvents("held.position + 1")}
)
select exists (select from held where held.place = sent.place) as recorded
from generate_series(1, array_length($1::text[], 1)) as sent (place) order by sent.place`

export const recordParameters = (recorded: ReadonlyArray<EncodedStep>): ReadonlyArray<unknown> => [
  ...eventColumns(recorded),
  integers(recorded.map(({ position }) => position)),
  texts(recorded.map(({ entry }) => entry))
]
