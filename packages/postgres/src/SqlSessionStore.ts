// `SessionStore` in PostgreSQL. Every method is one statement, and a change is in a transaction. A page past the end of
// a list needs a second one to count the sessions, and so does a session that is large or missing.
import { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import * as Usage from "@svc-runtime/domain/Usage"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import { SessionExists, type SessionPatch, SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as ChangedDays from "./metrics/ChangedDays.ts"
import { leaf as leafOf } from "./runs/ConversationPages.ts"
import * as HistorySearch from "./sessions/HistorySearch.ts"
import * as PastSessions from "./sessions/PastSessions.ts"
import * as SessionConversation from "./sessions/SessionConversation.ts"
import * as SessionListing from "./sessions/SessionListing.ts"
import * as SessionRemoval from "./sessions/SessionRemoval.ts"
import * as SessionRows from "./sessions/SessionRows.ts"
import * as SummaryStatements from "./sessions/SummaryStatements.ts"
import { ShortStatements } from "./ShortStatements.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import * as Ownership from "./sql/Ownership.ts"
import * as Path from "./sql/Path.ts"
import { changeOne } from "./sql/readOne.ts"
import {
  jsonb,
  jsonbOrNull,
  jsonOrNull,
  sessionColumns,
  SessionRow,
  text,
  textOrNull,
  texts,
  unchecked
} from "./sql/rows.ts"

// Counts a request of a background job with one statement: on its session, and in the usage of the hour. What the
// statement leaves in `svc_ended_runs` is added to its hour with the ends of runs.

interface Counted {
  readonly id: Session.Id
  readonly request: Usage.Request
  readonly at: Time.EpochSeconds
}

const jobUsage = (sql: SqlClient.SqlClient) => {
  const add = SqlSchema.findOneOption({
    Request: unchecked<Counted>(),
    Result: Schema.Struct({ kind: ComponentKind, id: Schema.String }),
    execute: ({ at, id, request }) => {
      const usage = jsonb(Usage.ofRequest(request))
      const { model } = request
      return sql`
        with used as (
          select ${at}::bigint as at, ${usage}::jsonb as usage
        ), changed as (
          update svc_sessions s
          set session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), used.usage)
          from used where s.session_id = ${text(id)}
          returning s.created_at, s.is_evaluation, s.session_type as kind, s.user_id,
            coalesce(s.agent_id, s.team_id, s.workflow_id, '') as component_id, used.at, used.usage
        ), changed_days as (
          ${sql.literal(ChangedDays.noted("changed", "at"))}
        ), ended_runs as (
          insert into svc_ended_runs (ended_at, kind, component_id, user_id, model, model_provider, status, usage)
          select at, kind, component_id, user_id, ${text(model.id)}, ${text(model.provider)}, ${UsageHour.background},
            usage
          from changed where not is_evaluation
        )
        select kind, component_id as id from changed`
    }
  })

  return Effect.fn("SqlSessionStore.addUsage")((id: Session.Id, request: Usage.Request, at: Time.EpochSeconds) =>
    orUnavailable(add({ id, request, at }))
  )
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.reads ?? sql
  const { response: responseLimit } = yield* StoreLimits
  const columns = sql.literal(sessionColumns)
  const isAt = ({ id, owner }: SessionConversation.Key) =>
    sql.and([sql`s.session_id = ${text(id)}`, Ownership.isVisible(sql, owner)])

  const conversations = SessionConversation.make({ sql, short, responseLimit, isAt })
  const { admit, newestChat, toConversation } = conversations

  const findRow = SqlSchema.findOneOption({
    Request: unchecked<SessionConversation.Key>(),
    Result: SessionRow,
    execute: (key) => sql`select ${columns} from svc_sessions s where ${isAt(key)}`
  })

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

  const findRemoved = (id: Session.Id) =>
    sql<object>`select from svc_sessions s where s.session_id = ${text(id)} and s.removed_at is not null`

  const create = Effect.fnUntraced(function*(session: Session.Session) {
    const created = yield* insert(session)
    if (Option.isSome(created)) return
    const { session_id } = session
    if ((yield* findRemoved(session_id)).length === 0) return yield* new SessionExists({ session_id })
    return yield* new StorageUnavailable({ cause: `Session '${session_id}' is being removed` })
  })

  /** A state that replaces the stored one, but for some fields. */
  const keeping = (state: Session.Session["session_state"], kept: ReadonlyArray<string>) =>
    sql`session_state = svc_change_state(${jsonOrNull(state)}::json, array[json_build_object('set', coalesce((
          select json_object_agg(stored.key, stored.value) from json_each(
            case json_typeof(s.session_state) when 'object' then s.session_state else '{}' end
          ) stored where stored.key = any(${texts(kept.map(text))}::text[])
        ), '{}'))])`

  const rootOf = (run: Run.Id) =>
    sql`(
          select r.seq from svc_runs r
          where r.run_id = ${text(run)} and r.session_id = s.session_id and r.parent_run_id is null
        )`

  const isRoot = (run: Run.Id) => sql`${rootOf(run)} is not null`

  const newestRun = sql`(
          select r.seq from svc_runs r where r.session_id = s.session_id and r.parent_run_id is null
          order by r.seq desc limit 1
        )`

  /** A summary of another path is replaced by one that covers nothing yet. */
  const coveredRun = sql.literal(`case when ${Path.covers(Path.ofLeaf)} then s.summarized_run else 0 end`)

  const withLeaf = (leaf: Run.Id | null) => {
    const seq = sql`nullif(${leaf === null ? sql`0` : rootOf(leaf)}, coalesce(${newestRun}, 0))`
    return sql`leaf_run = ${seq}, is_branched = s.is_branched or ${seq} is not null`
  }

  const change = SqlSchema.findOneOption({
    Request: unchecked<SessionConversation.Key & { readonly patch: SessionPatch }>(),
    Result: SessionConversation.ConversationRow,
    execute: (
      { patch: { kept_state = [], leaf, metadata, session_name, session_state, summary, updated_at }, ...key }
    ) =>
      sql`
        with changed as (
          update svc_sessions s set ${
        sql.update({
          updated_at,
          ...(session_name === undefined ? {} : { session_name: text(session_name) }),
          ...(session_state === undefined || kept_state.length > 0 ? {} : { session_state: jsonOrNull(session_state) }),
          ...(metadata === undefined ? {} : { metadata: jsonOrNull(metadata) }),
          ...(summary === undefined ? {} : { summary: jsonOrNull(summary) })
        })
      }${summary === undefined ? sql`` : sql`, summarized_run = ${coveredRun}`}${
        session_state === undefined || kept_state.length === 0 ? sql`` : sql`, ${keeping(session_state, kept_state)}`
      }${leaf === undefined ? sql`` : sql`, ${withLeaf(leaf)}`}
          where ${isAt(key)} and ${leaf === undefined || leaf === null ? sql`true` : isRoot(leaf)} returning s.*
        )
        select ${columns}, ${sql.literal(leafOf)} as leaf, page.chat, page.bytes, page.before
        from changed s cross join lateral (${newestChat}) page`
  })

  return SessionStore.of({
    find: Effect.fn("SqlSessionStore.find")(function*(id, owner) {
      const found = yield* findRow({ id, owner })
      return Option.isNone(found) ? Option.none() : Option.some(yield* SessionRows.toSession(found.value))
    }, readOrUnavailable),
    getConversation: conversations.get,
    list: SessionListing.make(sql, responseLimit),
    create: Effect.fn("SqlSessionStore.create")((session) => orUnavailable(create(session))),
    update: Effect.fn("SqlSessionStore.update")(function*(id, owner, patch) {
      yield* admit({ id, owner })
      const changed = yield* changeOne(sql)(change({ id, owner, patch }), { kind: "session", id })
      const { leaf } = patch
      if (
        Option.isNone(changed) && leaf !== undefined && leaf !== null && Option.isSome(yield* findRow({ id, owner }))
      ) {
        return yield* new RunNotFound({ run_id: leaf })
      }
      return yield* toConversation(id, changed)
    }, orUnavailable),
    addUsage: jobUsage(sql),
    ...SummaryStatements.make(sql, short),
    searchPast: PastSessions.make(sql),
    searchHistory: HistorySearch.make(sql),
    remove: SessionRemoval.make(sql)
  })
})

export const layer: Layer.Layer<SessionStore, never, ShortStatements | SqlClient.SqlClient | StoreLimits> = Layer
  .effect(
    SessionStore,
    make
  )
