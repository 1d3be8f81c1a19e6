// `ChannelStore` in PostgreSQL.
import * as Session from "@svc-runtime/domain/Session"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, jsonOrNull, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type Arrival,
  Asking,
  Delivery,
  Health,
  type Pending,
  Place,
  promptOf,
  Reply,
  sentCause,
  Waiting
} from "./ChannelRows.ts"
import {
  ChannelFull,
  ChannelStore,
  maxAsking,
  maxCounted,
  type Replying,
  type Room,
  type Thread,
  unreadable
} from "./ChannelStore.ts"

const waiting = ReadableRows.make(Waiting)
const replies = ReadableRows.make(Reply, "reply_id")
const asking = ReadableRows.make(Asking, "reply_id")

/** Of a reply `r`. */
const shown =
  `r.seq::float8 as seq, r.id, r.channel, r.thread, r.place, r.is_direct, r.sender, r.user_id, r.run, r.text, r.pending,
  r.asks, r.edits, r.posts, r.created_at::float8 as created_at`
const places = ReadableRows.make(Place)
const deliveries = ReadableRows.make(Delivery)
const decodeHealth = Schema.decodeUnknownEffect(Schema.Tuple([Health]))
const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: Session.Id })))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const jobs = JobStatements.make(sql)
  const columns = sql.literal(shown)
  const placeColumns = sql.literal("s.channel, s.thread, s.sender, s.place, s.is_direct, s.user_id")

  /** Whether another event fits: fewer than this many wait. */
  const fits = (limit: number, condition: ReturnType<typeof sql.literal>) =>
    sql`(
      select count(*) from (
        select from svc_channel_events w where ${condition} and w.handled_at is null limit ${limit}
      ) waiting
    ) < ${limit}`

  const insert = ({ channel, event, received_at, run_id, session_id }: Arrival, room: Room) => {
    const given = text(channel)
    return sql<{ readonly is_new: boolean; readonly is_known: boolean }>`
      with added as (
        insert into svc_channel_events (
          channel, event_id, thread, sender, event, run_id, session_id, received_at
        )
        select ${given}, ${text(event.id)}, ${text(event.thread)}, ${text(event.sender.id)}, ${json(event)}::json,
          ${text(run_id)}, ${text(session_id)}, ${received_at}::bigint
        where ${fits(room.perThread, sql`w.channel = ${given} and w.thread = ${text(event.thread)}`)}
          and ${fits(room.perSender, sql`w.channel = ${given} and w.sender = ${text(event.sender.id)}`)}
          and ${fits(room.perChannel, sql`w.channel = ${given}`)}
        on conflict (channel, event_id) do nothing returning 1
      )
      select exists (select from added) as is_new, exists (
        select from svc_channel_events k where k.channel = ${given} and k.event_id = ${text(event.id)}
      ) as is_known`
  }

  const insertReply = ({ job, row }: Replying) =>
    Effect.andThen(
      sql`
        insert into svc_channel_replies (
          id, channel, thread, cause, place, is_direct, sender, user_id, run, text, posts, prompt_id, pending, asks, edits,
          created_at
        ) values (
          ${text(row.id)}, ${text(row.channel)}, ${text(row.thread)}, ${text(row.cause)}, ${json(row.place)}::json,
          ${row.is_direct}, ${jsonOrNull(row.sender)}::json, ${textOrNull(row.user_id)}, ${
        jsonOrNull(row.run)
      }::json, ${jsonOrNull(row.text)}::json,
          ${json(row.posts)}::json, ${row.pending === null ? null : text(promptOf(row.id))}::text,
          ${jsonOrNull(row.pending)}::json, ${textOrNull(row.asks)}, ${textOrNull(row.edits)}, ${row.created_at}::bigint
        ) on conflict (channel, cause) do nothing`,
      jobs.enqueue(job)
    )

  const decide = (id: string, at: number) =>
    sql`update svc_channel_replies set decided_at = ${at}::bigint where id = ${text(id)} and decided_at is null`

  const ask = (id: string, pending: Pending) =>
    sql`
      update svc_channel_replies set prompt_id = ${text(promptOf(id))}, pending = ${json(pending)}::json
      where id = ${text(id)} and decided_at is null`

  const openReplies = (channel: string, most: number) =>
    sql`
      select count(*)::float8 as count from (
        select from svc_channel_replies r where r.channel = ${text(channel)} and r.written_at is null limit ${most}
      ) open`

  const isIn = (row: "e" | "r", { channel, thread }: Thread) =>
    sql`${sql.literal(row)}.channel = ${text(channel)} and ${sql.literal(row)}.thread = ${text(thread)}`

  return ChannelStore.of({
    accept: Effect.fn("SqlChannelStore.accept")(
      function*(events, { jobs: enqueued, room }) {
        let added = 0
        for (const event of events) {
          const [row] = yield* insert(event, room)
          if (row?.is_new === true) added++
          else if (row?.is_known !== true) return yield* new ChannelFull()
        }
        // a job that waits is locked until the events are there, so that it does not miss them
        if (added > 0) yield* Effect.forEach(enqueued, (job) => jobs.enqueue(job), { discard: true })
        return added
      },
      inTransaction(sql),
      orUnavailable
    ),
    next: Effect.fn("SqlChannelStore.next")(function*(of) {
      for (let last: unknown = null;;) {
        const rows = yield* sql<{ readonly seq: number }>`
          select e.seq::float8 as seq, e.channel, e.event, e.run_id, e.session_id, e.received_at::float8 as received_at
          from svc_channel_events e where ${isIn("e", of)} and e.handled_at is null order by e.seq limit 1`
        const [event] = yield* waiting(rows)
        const [damaged] = rows
        // a row that stays although it was marked would be read for ever
        if (event !== undefined || damaged === undefined || damaged.seq === last) return Option.fromUndefinedOr(event)
        last = damaged.seq
        yield* sql`
          update svc_channel_events set handled_at = received_at, error = ${unreadable}
          where seq = ${damaged.seq}::bigint and handled_at is null`
      }
    }, orUnavailable),
    sessionOf: Effect.fn("SqlChannelStore.sessionOf")(function*({ channel, thread, user_id }) {
      const rows = yield* sql`
        select s.session_id from svc_channel_sessions s
        where s.channel = ${text(channel)} and s.thread = ${text(thread)} and s.user_id = ${text(user_id)}`
      return Option.fromUndefinedOr((yield* decodeSessions(rows))[0]?.session_id)
    }, readOrUnavailable),
    handled: Effect.fn("SqlChannelStore.handled")(
      function*({ channel, event, seq }, { asks, at, decided, error, replies = [], session }) {
        for (const reply of replies) yield* insertReply(reply)
        if (decided !== undefined) yield* decide(decided, at)
        if (asks !== undefined) yield* ask(asks.id, asks.pending)
        if (session !== undefined) {
          yield* sql`
          insert into svc_channel_sessions (
            channel, thread, user_id, session_id, sender, place, is_direct, updated_at
          ) values (
            ${text(channel)}, ${text(event.thread)}, ${text(session.user_id)}, ${text(session.session_id)},
            ${text(event.sender.id)}, ${json(event.place)}::json, ${event.isDirect}, ${at}::bigint
          ) on conflict (channel, thread, user_id) do update set
            session_id = excluded.session_id, sender = excluded.sender, place = excluded.place,
            is_direct = excluded.is_direct, updated_at = excluded.updated_at`
        }
        yield* sql`
        update svc_channel_events set handled_at = ${at}::bigint, event = null, error = ${textOrNull(error ?? null)}
        where seq = ${seq}::bigint and handled_at is null`
      },
      inTransaction(sql),
      orUnavailable
    ),
    reply: Effect.fn("SqlChannelStore.reply")((reply) =>
      Effect.asVoid(insertReply(reply)).pipe(inTransaction(sql), orUnavailable)
    ),
    send: Effect.fn("SqlChannelStore.send")(
      function*(reply, most) {
        const [room] = yield* sql<{ readonly count: number }>`${openReplies(reply.row.channel, most)}`
        if ((room?.count ?? 0) >= most) return false
        yield* insertReply(reply)
        return true
      },
      inTransaction(sql),
      orUnavailable
    ),
    sent: Effect.fn("SqlChannelStore.sent")(function*(channel, id) {
      const rows = yield* sql`
        select r.id, r.thread, r.user_id, r.created_at::float8 as created_at, r.written_at::float8 as written_at, r.error
        from svc_channel_replies r
        where r.id = ${text(id)} and r.channel = ${text(channel)} and r.cause = ${text(sentCause(id))}`
      return Option.fromUndefinedOr((yield* deliveries(rows))[0])
    }, readOrUnavailable),
    placeIn: Effect.fn("SqlChannelStore.placeIn")(function*({ channel, thread }, owner) {
      const rows = yield* sql`
        select ${placeColumns} from svc_channel_sessions s
        where s.channel = ${text(channel)} and s.thread = ${text(thread)}
          and ${Ownership.covers(sql, "s.user_id", owner)} order by s.updated_at desc limit 1`
      return Option.fromUndefinedOr((yield* places(rows))[0])
    }, readOrUnavailable),
    directPlaceOf: Effect.fn("SqlChannelStore.directPlaceOf")(function*(channel, sender, user_id) {
      const rows = yield* sql`
        select ${placeColumns} from svc_channel_sessions s
        where s.user_id = ${text(user_id)} and s.channel = ${text(channel)} and s.sender = ${
        text(sender)
      } and s.is_direct
        order by s.updated_at desc limit 1`
      return Option.fromUndefinedOr((yield* places(rows))[0])
    }, readOrUnavailable),
    placeOf: Effect.fn("SqlChannelStore.placeOf")(function*(session_id) {
      const rows = yield* sql`
        select ${placeColumns} from svc_channel_sessions s where s.session_id = ${text(session_id)}
        order by s.updated_at desc limit 1`
      return Option.fromUndefinedOr((yield* places(rows))[0])
    }, readOrUnavailable),
    health: Effect.fn("SqlChannelStore.health")(function*(id) {
      const channel = text(id)
      const rows = yield* sql`
        select (select max(received_at)::float8 from svc_channel_events where channel = ${channel}) as last_event_at,
          (
            select max(written_at)::float8 from svc_channel_replies
            where channel = ${channel} and written_at is not null and error is null
          ) as last_post_at,
          (
            select count(*)::float8 from (
              select from svc_channel_events where channel = ${channel} and handled_at is null limit ${maxCounted}
            ) e
          ) as waiting_events,
          (${openReplies(id, maxCounted)}) as waiting_replies,
          coalesce((
            select json_agg(json_build_object('kind', kind, 'message', message, 'at', at) order by at desc)
            from svc_channel_errors where channel = ${channel}
          ), '[]') as errors`
      const [health] = yield* Effect.orDie(decodeHealth(rows))
      return health
    }, readOrUnavailable),
    failed: Effect.fn("SqlChannelStore.failed")((channel, { at, kind, message }) =>
      orUnavailable(Effect.asVoid(sql`
        insert into svc_channel_errors (channel, kind, message, at)
        values (${text(channel)}, ${text(kind)}, ${text(message)}, ${at}::bigint)
        on conflict (channel, kind) do update set message = excluded.message, at = excluded.at`))
    ),
    nextReply: Effect.fn("SqlChannelStore.nextReply")(function*(of) {
      for (let last: unknown = null;;) {
        const rows = yield* sql<{ readonly seq: number }>`
          select ${columns}
          from svc_channel_replies r
          where ${isIn("r", of)} and r.written_at is null
            and (r.run is not null and r.text is null) = ${of.lane === "runs"} order by r.seq limit 1`
        const [reply] = yield* replies(rows)
        const [damaged] = rows
        if (reply !== undefined || damaged === undefined || damaged.seq === last) return Option.fromUndefinedOr(reply)
        last = damaged.seq
        yield* sql`
          update svc_channel_replies set written_at = created_at, error = ${unreadable}
          where seq = ${damaged.seq}::bigint and written_at is null`
      }
    }, orUnavailable),
    posted: Effect.fn("SqlChannelStore.posted")((id, posts) =>
      orUnavailable(Effect.asVoid(sql`
        update svc_channel_replies set posts = ${json(posts)}::json where id = ${text(id)} and written_at is null`))
    ),
    decided: Effect.fn("SqlChannelStore.decided")(
      function*(id, { at, replies }) {
        for (const reply of replies) yield* insertReply(reply)
        yield* decide(id, at)
      },
      inTransaction(sql),
      orUnavailable
    ),
    pending: Effect.fn("SqlChannelStore.pending")((id, pending, job) =>
      Effect.andThen(ask(id, pending), jobs.enqueue(job)).pipe(Effect.asVoid, inTransaction(sql), orUnavailable)
    ),
    asking: Effect.fn("SqlChannelStore.asking")(function*(channel, prompt_id) {
      const rows = yield* sql`
        select ${columns}, r.decided_at is not null as is_decided from svc_channel_replies r
        where r.channel = ${text(channel)} and r.prompt_id = ${text(prompt_id)}`
      return Option.fromUndefinedOr((yield* asking(rows))[0])
    }, readOrUnavailable),
    askingIn: Effect.fn("SqlChannelStore.askingIn")(function*(of) {
      const rows = yield* sql`
        select ${columns}, false as is_decided from svc_channel_replies r
        where ${isIn("r", of)} and r.prompt_id is not null and r.decided_at is null
          ${of.run_id === undefined ? sql.literal("") : sql`and r.run ->> 'run_id' = ${text(of.run_id)}`}
        order by r.seq desc limit ${maxAsking}`
      return yield* asking(rows)
    }, readOrUnavailable),
    written: Effect.fn("SqlChannelStore.written")((id, { at, error }) =>
      orUnavailable(Effect.asVoid(sql`
        update svc_channel_replies set written_at = ${at}::bigint, error = ${textOrNull(error)}, text = null
        where id = ${text(id)} and written_at is null`))
    )
  })
})

export const layer: Layer.Layer<ChannelStore, never, SqlClient.SqlClient> = Layer.effect(ChannelStore, make)

/** The maximum number of rows that one statement removes. */
const maxRows = 500

/** Removes events that were handled, replies that were written, and sessions of quiet conversations. */
export const prune = (sql: SqlClient.SqlClient) => (seconds: number) =>
  sql`
    with old as (select extract(epoch from now())::bigint - ${seconds}::bigint as at), events as (
      delete from svc_channel_events where seq = any(array(
        select seq from svc_channel_events where handled_at is not null and handled_at <= (select at from old)
        order by handled_at limit ${maxRows} for update skip locked
      )) returning 1
    ), replies as (
      delete from svc_channel_replies where seq = any(array(
        select seq from svc_channel_replies where written_at is not null and written_at <= (select at from old)
        order by written_at limit ${maxRows} for update skip locked
      )) returning 1
    ), quiet as (
      delete from svc_channel_sessions where ctid = any(array(
        select ctid from svc_channel_sessions where updated_at <= (select at from old)
        order by updated_at limit ${maxRows} for update skip locked
      )) returning 1
    )
    select (
      (select count(*) from events) + (select count(*) from replies) + (select count(*) from quiet)
    )::int as count`
