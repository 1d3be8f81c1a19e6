// `SessionStore` in PostgreSQL. Every method is one statement. A page past the end of a list needs a second one to
// count the sessions, and so does a session that is large or missing.
import type * as Owner from "@svc/domain/Owner"
import type * as Pagination from "@svc/domain/Pagination"
import type * as Session from "@svc/domain/Session"
import { AnswerLimit, AnswerTooLarge } from "@svc/runtime/AnswerLimit"
import * as ReadGate from "@svc/runtime/ReadGate"
import { SessionExists, SessionNotFound } from "@svc/runtime/session/SessionErrors"
import { isSortable, type SessionSort } from "@svc/runtime/session/SessionSort"
import {
  type Conversation,
  type SessionFilter,
  type SessionPatch,
  SessionStore
} from "@svc/runtime/session/SessionStore"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Conversations from "./internal/conversation.ts"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import * as Page from "./internal/page.ts"
import * as ReadableRows from "./internal/readableRows.ts"
import { jsonbOrNull, jsonOrNull, sessionColumns, SessionRow, text, textOrNull, unchecked } from "./internal/rows.ts"
import * as RunHistory from "./internal/runHistory.ts"
import * as SessionRows from "./internal/sessionRows.ts"
import * as StoredApart from "./internal/storedApart.ts"
import { ShortStatements } from "./ShortStatements.ts"

const ConversationRow = Schema.Struct({ ...SessionRow.fields, ...Conversations.Page })
const PageRow = Schema.Struct({
  ...SessionRow.fields,
  total: Schema.Natural,
  names: Schema.Finite,
  is_whole: Schema.Boolean
})

const readable = ReadableRows.make(PageRow)

/** After all runs. */
const newest = "9223372036854775807"

/** The ids, times and counters of a session in a list, approximately. */
const rowBytes = 400

/** The maximum that one statement removes of a large session, except the last one. */
const rowsAtOnce = 10_000

interface Key {
  readonly id: Session.Id
  readonly owner: Owner.Owner
}

interface Listing {
  readonly filter: SessionFilter
  readonly page: Pagination.Request
  readonly sort: SessionSort
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const apart = StoredApart.make(sql)
  const answerLimit = yield* AnswerLimit
  const columns = sql.literal(sessionColumns)
  const pages = Page.make(sql)
  const chatOf = (before: string, bytes: number) =>
    sql.literal(Conversations.page(before, String(Math.min(bytes, Conversations.pageBytes)), String(bytes)))

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "s.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`s.session_id = ${text(id)}`, isCovered(owner)])

  const matches = (filter: SessionFilter) =>
    sql.and([
      isCovered(filter.owner),
      ...(filter.kind === undefined ? [] : [sql`s.session_type = ${filter.kind}`]),
      ...(filter.componentId === undefined
        ? []
        : [sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(filter.componentId)}`]),
      // not LIKE: the search text has no wildcards
      ...(filter.name === undefined ? [] : [sql`strpos(lower(s.session_name), lower(${text(filter.name)})) > 0`])
    ])

  const matching = (filter: SessionFilter) => sql`svc_sessions s where ${matches(filter)}`

  const sorted = ({ by, order }: SessionSort) => {
    const bySequence = `s.seq ${order}`
    if (!isSortable(by)) return sql.literal(bySequence)
    // as in the index, whose keys have a maximum length
    const key = by === "session_name" ? `left(s.session_name, 512) collate "C"` : `s.${by}`
    return sql.literal(`${key} ${order}, ${bySequence}`)
  }

  const findRow = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: SessionRow,
    execute: (key) => sql`select ${columns} from svc_sessions s where ${isAt(key)}`
  })

  const findConversation = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: ConversationRow,
    execute: (key) =>
      sql`
        select ${columns}, page.chat, page.bytes, page.before
        from svc_sessions s cross join lateral (${chatOf(newest, answerLimit)}) page where ${isAt(key)}`
  })

  const shortChat = sql.literal(Conversations.shortPage)
  const isShort = sql.literal(Conversations.isShortSession)

  /** None if the session is not short. Only the newest runs are there if the others do not fit. */
  const findShort = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: ConversationRow,
    execute: (key) =>
      short`
        select ${columns}, page.chat, page.bytes, page.before
        from svc_sessions s cross join lateral (${shortChat}) page where ${isAt(key)} and ${isShort}`
  })

  // the memory that a conversation takes, without reading it
  const findSize = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Schema.Struct({ bytes: Schema.Finite }),
    execute: (key) =>
      sql`
        select coalesce(octet_length(s.session_state::text), 0) + (
          select coalesce(sum(${sql.literal(RunHistory.size)}), 0) from svc_runs b
          where b.session_id = s.session_id and b.parent_run_id is null
        )::float8 as bytes
        from svc_sessions s where ${isAt(key)}`
  })

  const admitConversation = (key: Key) =>
    ReadGate.admit(
      Effect.map(
        findSize(key),
        Option.match({
          onNone: () => ({}),
          onSome: ({ bytes }) => ReadGate.ofText(Math.min(bytes, answerLimit))
        })
      )
    )

  const findEarlier = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: Session.Id; readonly before: bigint; readonly bytes: number }>(),
    Result: Schema.Struct(Conversations.Page),
    execute: ({ before, bytes, id }) =>
      sql`
        select page.chat, page.bytes, page.before
        from svc_sessions s cross join lateral (${chatOf(String(before + 1n), bytes)}) page
        where s.session_id = ${text(id)}`
  })

  const findPage = ({ filter, page, sort }: Listing) =>
    sql<Pick<typeof PageRow.Type, "total" | "names" | "is_whole">>`
        with found as materialized (
          select ${columns} from ${matching(filter)} order by ${sorted(sort)} ${pages.limits(page)}
        ), placed as (
          select found.*, row_number() over () as place,
            ${
      sql.literal(String(rowBytes))
    } + coalesce(octet_length(session_name), 0) + coalesce(octet_length(derived_name), 0) as own,
            coalesce(octet_length(session_state::text), 0) + coalesce(octet_length(metadata::text), 0)
              + coalesce(octet_length(summary::text), 0) + coalesce(octet_length(component_data::text), 0) as large
          from found
        ), sized as (
          select placed.*, sum(own + large) over (order by place) <= ${answerLimit} as fits,
            sum(own) over () as names, sum(own + large) over () <= ${answerLimit} as is_whole
          from placed
        )
        select session_id, session_type, agent_id, team_id, workflow_id, user_id, session_name, derived_name,
          case when fits then session_state end as session_state, session_metrics,
          case when fits then component_data end as component_data, case when fits then metadata end as metadata,
          case when fits then summary end as summary, created_at, updated_at, names::float8 as names, is_whole,
          ${pages.total({ from: matching(filter), page })} as total
        from sized where names <= ${answerLimit} or place = 1 order by place`

  const findPageSize = SqlSchema.findOne({
    Request: unchecked<Listing>(),
    Result: Schema.Struct({ bytes: Schema.Finite }),
    execute: ({ filter, page, sort }) =>
      sql`
        select coalesce(sum(${sql.literal(String(rowBytes))} + coalesce(octet_length(session_state::text), 0)
          + coalesce(octet_length(metadata::text), 0) + coalesce(octet_length(summary::text), 0)
          + coalesce(octet_length(component_data::text), 0)), 0)::float8 as bytes
        from (
          select s.session_state, s.metadata, s.summary, s.component_data from svc_sessions s
          where ${matches(filter)} order by ${sorted(sort)} ${pages.limits(page)}
        ) found`
  })

  const admitPage = (listing: Listing) =>
    ReadGate.admit(Effect.map(findPageSize(listing), ({ bytes }) => ({ parsed: Math.min(bytes, answerLimit) })))

  const insert = SqlSchema.findOneOption({
    Request: unchecked<Session.Session>(),
    Result: Schema.Struct({ session_id: Schema.String }),
    execute: (session) =>
      sql`
        insert into svc_sessions ${
        sql.insert({
          session_id: text(session.session_id),
          session_type: session.session_type,
          agent_id: textOrNull(session.agent_id),
          team_id: textOrNull(session.team_id),
          workflow_id: textOrNull(session.workflow_id),
          user_id: textOrNull(session.user_id),
          session_name: textOrNull(session.session_name),
          derived_name: textOrNull(session.derived_name),
          session_state: jsonOrNull(session.session_state),
          session_metrics: jsonbOrNull(session.session_metrics),
          component_data: jsonOrNull(session.component_data),
          metadata: jsonOrNull(session.metadata),
          summary: jsonOrNull(session.summary),
          created_at: session.created_at,
          updated_at: session.updated_at
        })
      } on conflict (session_id) do nothing returning session_id`
  })

  const change = SqlSchema.findOneOption({
    Request: unchecked<Key & { readonly patch: SessionPatch }>(),
    Result: ConversationRow,
    execute: ({ patch: { metadata, session_name, session_state, summary, updated_at }, ...key }) =>
      sql`
        with changed as (
          update svc_sessions s set ${
        sql.update({
          updated_at,
          ...(session_name === undefined ? {} : { session_name: text(session_name) }),
          ...(session_state === undefined ? {} : { session_state: jsonOrNull(session_state) }),
          ...(metadata === undefined ? {} : { metadata: jsonOrNull(metadata) }),
          ...(summary === undefined ? {} : { summary: jsonOrNull(summary) })
        })
      } where ${isAt(key)} returning s.*
        )
        select ${columns}, page.chat, page.bytes, page.before
        from changed s cross join lateral (${chatOf(newest, answerLimit)}) page`
  })

  const toConversation = Effect.fnUntraced(function*(id: Session.Id, row: Option.Option<typeof ConversationRow.Type>) {
    if (Option.isNone(row)) return yield* new SessionNotFound({ session_id: id })
    const { before: first, bytes: size, chat, ...session } = yield* SessionRows.toSession(row.value)
    const pages = chat === null ? [] : [chat]
    let [before, bytes] = [first, size]
    while (before !== null && bytes < answerLimit) {
      const page = yield* findEarlier({ id, before: BigInt(before), bytes: answerLimit - bytes })
      if (Option.isNone(page)) break
      // what comes next does not fit
      if (page.value.before === before) break
      before = page.value.before
      bytes += page.value.bytes
      if (page.value.chat !== null) pages.unshift(page.value.chat)
    }
    const whole = yield* apart.putBackInText(id, `[${pages.join(",")}]`)
    const conversation: Conversation = { session, chat: whole, isWhole: before === null }
    return conversation
  })

  // A large session loses its events first, in pieces: writers do not wait long, and an interrupted removal can be
  // repeated.
  const removePiece = SqlSchema.findAll({
    Request: unchecked<{ readonly ids: ReadonlyArray<Session.Id>; readonly owner: Owner.Owner }>(),
    Result: Schema.Struct({ removed: Schema.Natural }),
    execute: ({ ids, owner }) =>
      sql`
        with piece as (
          select e.run_seq, e.event_index
          from svc_sessions s join svc_runs r on r.session_id = s.session_id join svc_run_events e on e.run_seq = r.seq
          where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} limit ${rowsAtOnce}
        ), removed as (
          delete from svc_run_events e using piece
          where e.run_seq = piece.run_seq and e.event_index = piece.event_index
            and (select count(*) from piece) = ${rowsAtOnce}
        )
        select count(*)::int as removed from piece`
  })

  // Locks runs before their sessions, in the order of a finishing run. Another order can deadlock.
  const removeAll = (ids: ReadonlyArray<Session.Id>, owner: Owner.Owner) =>
    sql`
      with doomed as (
        select r.seq from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} order by r.seq for update of r
      )
      delete from svc_sessions s
      where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} and (select count(*) from doomed) >= 0`

  return SessionStore.of({
    find: Effect.fn("SqlSessionStore.find")(function*(id, owner) {
      const found = yield* findRow({ id, owner })
      return Option.isNone(found) ? Option.none() : Option.some(yield* SessionRows.toSession(found.value))
    }, readOrUnavailable),
    getConversation: Effect.fnUntraced(function*(id, owner) {
      const found = yield* findShort({ id, owner })
      if (Option.isSome(found) && found.value.before === null) return yield* toConversation(id, found)
      yield* admitConversation({ id, owner })
      return yield* toConversation(id, Option.isSome(found) ? found : yield* findConversation({ id, owner }))
    }, readOrUnavailable),
    list: Effect.fn("SqlSessionStore.list")(function*(filter, page, sort) {
      yield* admitPage({ filter, page, sort })
      const rows = yield* findPage({ filter, page, sort })
      const [first] = rows
      if (first !== undefined && first.names > answerLimit) {
        return yield* new AnswerTooLarge({ subject: "sessions", bytes: first.names, limit: answerLimit })
      }
      const total = yield* pages.totalOf(rows, { from: matching(filter), page })
      const sessions = yield* Effect.forEach(yield* readable(rows), SessionRows.toSession)
      return {
        sessions: sessions.map(Struct.omit(["total", "names", "is_whole"])),
        total,
        isWhole: first?.is_whole ?? true
      }
    }, readOrUnavailable),
    create: Effect.fn("SqlSessionStore.create")(function*(session) {
      const created = yield* insert(session)
      if (Option.isNone(created)) return yield* new SessionExists({ session_id: session.session_id })
    }, orUnavailable),
    update: Effect.fn("SqlSessionStore.update")(function*(id, owner, patch) {
      yield* admitConversation({ id, owner })
      return yield* toConversation(id, yield* change({ id, owner, patch }))
    }, orUnavailable),
    remove: Effect.fn("SqlSessionStore.remove")(function*(ids, owner) {
      while ((yield* removePiece({ ids, owner }))[0]?.removed === rowsAtOnce) yield* Effect.yieldNow
      yield* removeAll(ids, owner)
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(SessionStore, make)
