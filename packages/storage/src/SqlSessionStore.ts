// `SessionStore` in PostgreSQL. Every method is one statement, but for a page past the end of a list: it takes a second
// one to tell how many sessions there are.
import { type Owner, Pagination, type Session } from "@svc/domain"
import {
  type Conversation,
  isSortable,
  SessionExists,
  type SessionFilter,
  SessionNotFound,
  type SessionPatch,
  type SessionSort,
  SessionStore,
  type StorageUnavailable
} from "@svc/runtime"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import { jsonbOrNull, jsonOrNull, sessionColumns, SessionRow, text, textOrNull, typed } from "./internal/rows.ts"
import * as StoredApart from "./internal/storedApart.ts"
import { ShortStatements } from "./ShortStatements.ts"

const ConversationRow = Schema.Struct({ ...SessionRow.fields, chat: Schema.String })
const PageRow = Schema.Struct({ ...SessionRow.fields, total: Schema.Natural })

// The runs of one session, and then the messages of one run at a time: where nobody collects statistics a plain join of
// the two would be taken for one that is better done by reading all messages there are.
const chat = `coalesce((
  select '[' || string_agg(said.bodies, ',' order by r.seq) || ']'
  from svc_runs r cross join lateral (
    select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
    where m.run_seq = r.seq and m.role in ('user', 'assistant') and not m.from_history
  ) said
  where r.session_id = s.session_id and r.parent_run_id is null
), '[]') as chat`

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
  const short = (yield* ShortStatements) ?? sql
  const apart = StoredApart.make(sql)
  const columns = sql.literal(sessionColumns)
  const withChat = sql.literal(`${sessionColumns}, ${chat}`)

  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "s.user_id", owner)
  const isAt = ({ id, owner }: Key) => sql.and([sql`s.session_id = ${text(id)}`, isCovered(owner)])

  const matches = (filter: SessionFilter) =>
    sql.and([
      isCovered(filter.owner),
      ...(filter.kind === undefined ? [] : [sql`s.session_type = ${filter.kind}`]),
      ...(filter.componentId === undefined
        ? []
        : [sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(filter.componentId)}`]),
      // not LIKE: what is searched for is taken as it is
      ...(filter.name === undefined ? [] : [sql`strpos(lower(s.session_name), lower(${text(filter.name)})) > 0`])
    ])

  const sorted = ({ by, order }: SessionSort) => {
    const bySequence = `s.seq ${order}`
    if (!isSortable(by)) return sql.literal(bySequence)
    return sql.literal(`s.${by}${by === "session_name" ? ` collate "C"` : ""} ${order}, ${bySequence}`)
  }

  const findRow = SqlSchema.findOneOption({
    Request: typed<Key>(),
    Result: SessionRow,
    execute: (key) => sql`select ${columns} from svc_sessions s where ${isAt(key)}`
  })

  const findConversation = SqlSchema.findOneOption({
    Request: typed<Key>(),
    Result: ConversationRow,
    execute: (key) => short`select ${withChat} from svc_sessions s where ${isAt(key)}`
  })

  const findPage = SqlSchema.findAll({
    Request: typed<Listing>(),
    Result: PageRow,
    execute: ({ filter, page, sort }) =>
      sql`
        select ${columns}, (select count(*)::int from svc_sessions s where ${matches(filter)}) as total
        from svc_sessions s where ${matches(filter)} order by ${sorted(sort)}
        limit ${page.limit} offset ${Math.min(Pagination.offset(page), Number.MAX_SAFE_INTEGER)}`
  })

  const count = SqlSchema.findOne({
    Request: typed<SessionFilter>(),
    Result: Schema.Struct({ total: Schema.Natural }),
    execute: (filter) => sql`select count(*)::int as total from svc_sessions s where ${matches(filter)}`
  })

  const insert = SqlSchema.findOneOption({
    Request: typed<Session.Session>(),
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
    Request: typed<Key & { readonly patch: SessionPatch }>(),
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
        select ${withChat} from changed s`
  })

  const toConversation = (id: Session.Id) => (row: Option.Option<typeof ConversationRow.Type>) =>
    Option.match(row, {
      onNone: () => Effect.fail(new SessionNotFound({ session_id: id })),
      onSome: ({ chat, ...session }): Effect.Effect<Conversation, StorageUnavailable> =>
        Effect.map(apart.putBackInText(id, chat), (whole) => ({ session, chat: whole }))
    })

  return SessionStore.of({
    find: Effect.fn("SqlSessionStore.find")((id, owner) => readOrUnavailable(findRow({ id, owner }))),
    getConversation: Effect.fnUntraced(function*(id, owner) {
      return yield* toConversation(id)(yield* findConversation({ id, owner }))
    }, readOrUnavailable),
    list: Effect.fn("SqlSessionStore.list")(function*(filter, page, sort) {
      const rows = yield* findPage({ filter, page, sort })
      const [first] = rows
      const isPast = first === undefined && Pagination.offset(page) > 0
      const { total } = isPast ? yield* count(filter) : first ?? { total: 0 }
      return { sessions: rows.map(Struct.omit(["total"])), total }
    }, readOrUnavailable),
    create: Effect.fn("SqlSessionStore.create")(function*(session) {
      const created = yield* insert(session)
      if (Option.isNone(created)) return yield* new SessionExists({ session_id: session.session_id })
    }, orUnavailable),
    update: Effect.fn("SqlSessionStore.update")(function*(id, owner, patch) {
      return yield* toConversation(id)(yield* change({ id, owner, patch }))
    }, orUnavailable),
    // Runs are locked before their sessions, in the order in which a run that ends locks the two. Otherwise each could
    // wait for the other.
    remove: Effect.fn("SqlSessionStore.remove")((ids, owner) =>
      orUnavailable(sql`
        with doomed as (
          select r.seq from svc_runs r join svc_sessions s on s.session_id = r.session_id
          where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} order by r.seq for update of r
        )
        delete from svc_sessions s
        where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} and (select count(*) from doomed) >= 0`.pipe(
        Effect.asVoid
      ))
    )
  })
})

export const layer: Layer.Layer<SessionStore, never, SqlClient.SqlClient> = Layer.effect(SessionStore, make)
