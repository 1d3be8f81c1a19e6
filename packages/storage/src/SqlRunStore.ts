// `RunStore` in PostgreSQL. Every method is one statement, but for `takeOver`, which reads what it has taken; `begin`
// repeats its own when somebody else makes the same session at the same moment. Runs that begin or end while such a
// statement is under way share the next one.
import { AnyRun, Ids, Json, Message, Run, RunCopy, RunEvent, Session } from "@svc/domain"
import {
  type Beginning,
  type Continuation,
  type Ending,
  type EventRange,
  type Forking,
  type Happened,
  type Recall,
  type Recorded,
  type Resting,
  RunExists,
  type RunFilter,
  RunStore,
  SessionBusy,
  SessionNotFound,
  StorageUnavailable,
  type Takeover,
  type Turns
} from "@svc/runtime"
import { Effect, Layer, Option, Predicate, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Batched from "./internal/batched.ts"
import { fork } from "./internal/forkStatement.ts"
import { orUnavailable } from "./internal/orUnavailable.ts"
import * as Ownership from "./internal/ownership.ts"
import { jsonOrNull, text, texts, typed } from "./internal/rows.ts"
import * as Statements from "./internal/runStatements.ts"
import { ShortStatements } from "./ShortStatements.ts"

const Messages = Schema.fromJsonString(Schema.Array(Message.Message))

const BegunRow = Schema.Struct({
  outcome: Schema.Literals(["accepted", "refused", "busy", "raced"]),
  is_waiting: Schema.Boolean,
  session_state: Json.Object,
  history: Messages
})

/** The ids of a run in a copied session; null for all others. */
const Copy = Schema.NullOr(Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  parent_run_id: Schema.optionalKey(Run.Id),
  forked_from_session_id: Session.Id,
  /** Of those around it and inside of it, and its own. */
  runs: Schema.optionalKey(Schema.Record(Schema.String, Run.Id))
}))

const RunRow = Schema.Struct({
  copy: Copy,
  status: Run.Status,
  output: AnyRun.Output,
  messages: Schema.NullOr(Messages),
  events: Schema.fromJsonString(Schema.Array(Json.Object))
})

const EventsRow = Schema.Struct({
  copy: Copy,
  status: Run.Status,
  count: Schema.Natural,
  events: Schema.fromJsonString(Schema.Array(Json.Object))
})

const RestingRow = Schema.Struct({
  copy: Copy,
  run_id: Run.Id,
  attempt: Schema.Natural,
  session_id: Session.Id,
  kind: Session.Kind,
  component_id: Schema.String,
  user_id: Schema.NullOr(Ids.UserId),
  status: Run.Status,
  cancel_requested: Schema.Boolean,
  command: Schema.NullOr(Json.Object),
  output: AnyRun.Output,
  messages: Schema.NullOr(Messages),
  entries: Schema.fromJsonString(Schema.Array(Json.Object)),
  event_count: Schema.Natural,
  session_state: Json.Object,
  history: Messages
})

const TurnRow = Schema.Struct({
  run_id: Run.Id,
  session_state: Json.Object,
  history: Messages
})

/** Without a status when the session is there and no run in it is wanted. */
const ListedRow = Schema.Union([RunRow, Schema.Struct({ status: Schema.Null })])

interface Search {
  /** Undefined where the run's id has to do. */
  readonly session: Session.Id | undefined
  readonly filter: RunFilter
}

/** Pieces of an answer are kept, but not shown. */
const content = RunEvent.kinds.filter((event) => RunEvent.isContent({ event }))

/** As it was written, but for the ids of a copy. */
const renamed = <A extends object>(written: A, copy: typeof Copy.Type): A =>
  copy?.runs === undefined
    ? written
    : RunCopy.renamed(written, { runs: copy.runs, session: { from: copy.forked_from_session_id, to: copy.session_id } })

const named = (output: AnyRun.Output, copy: typeof Copy.Type): AnyRun.Output => {
  if (copy === null) return output
  const { runs: _, ...ids } = copy
  return AnyRun.asCopy(renamed(output, copy), ids)
}

const eventOf = (copy: typeof Copy.Type) => (event: Json.Object): Json.Object =>
  copy === null || copy.runs !== undefined
    ? renamed(event, copy)
    : { ...event, run_id: copy.run_id, session_id: copy.session_id }

const toOutput = ({ copy, events, messages, output, status }: typeof RunRow.Type): AnyRun.Output =>
  // one that was paused or had failed, and goes on
  AnyRun.withLog({ ...named(output, copy), status }, { messages: messages ?? [], events: events.map(eventOf(copy)) })

const toResting = (row: typeof RestingRow.Type): Resting => {
  const { cancel_requested, copy, entries, event_count, messages, output, ...resting } = row
  return {
    ...resting,
    isCancelRequested: cancel_requested,
    eventCount: event_count,
    entries: entries.map((entry) => renamed(entry, copy)),
    output: AnyRun.withLog(named(output, copy), { messages: messages ?? [] })
  }
}

const isMissingReference = ({ cause }: SqlError.ConstraintError) =>
  Predicate.hasProperty(cause, "code") && cause.code === "23503"

/** In the order in which a session shows them. */
const toOutputs = (rows: ReadonlyArray<typeof ListedRow.Type>) =>
  AnyRun.innerFirst(rows.filter((row) => row.status !== null).map(toOutput))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements) ?? sql

  /** Of a run `r`. */
  const copy = sql`case when r.forked_from_session_id is not null then json_strip_nulls(json_build_object(
      'run_id', r.run_id, 'session_id', r.session_id, 'parent_run_id', r.parent_run_id,
      'forked_from_session_id', r.forked_from_session_id, 'runs', r.copied_runs
    )) end as copy`

  const columns = sql`
    ${copy}, r.status, r.output, (
      select '[' || string_agg(m.body::text, ',' order by m.position) || ']'
      from svc_messages m where m.run_seq = r.seq
    ) as messages, coalesce((
      select '[' || string_agg(e.body::text, ',' order by e.event_index) || ']'
      from svc_run_events e where e.run_seq = r.seq and e.kind <> all(${content})
    ), '[]') as events`

  /** Of a run `r` in a session `s`: what those before it have left. */
  const seen = sql`
    coalesce(s.session_state, '{}') as session_state,
    coalesce((
      select '[' || string_agg(said.bodies, ',' order by earlier.seq) || ']'
      from (
        select seq from svc_runs b
        where b.session_id = r.session_id and b.seq < r.seq and b.status = 'COMPLETED' and b.parent_run_id is null
        order by b.seq desc limit r.remembered
      ) earlier cross join lateral (
        select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
        where m.run_seq = earlier.seq and m.role not in ('system', 'developer') and not m.from_history
      ) said
    ), '[]') as history`

  /** Of a run `r` in a session `s`: all that is needed to go on with it. */
  const resting = sql`
    ${copy}, r.run_id, r.attempt, r.session_id, r.kind, r.component_id, r.user_id, r.status, r.cancel_requested, r.command,
    r.output, (
      select '[' || string_agg(m.body::text, ',' order by m.position) || ']'
      from svc_messages m where m.run_seq = r.seq
    ) as messages, coalesce((
      select '[' || string_agg(j.body::text, ',' order by j.position) || ']'
      from svc_run_journal j where j.run_seq = r.seq
    ), '[]') as entries,
    (select count(*)::int from svc_run_events e where e.run_seq = r.seq) as event_count, ${seen}`

  const isVisible = ({ filter: { component, owner }, session }: Search) =>
    sql.and([
      ...(session === undefined ? [] : [sql`s.session_id = ${text(session)}`]),
      Ownership.covers(sql, "s.user_id", owner),
      ...(component === undefined ? [] : [
        sql`s.session_type = ${component.kind}`,
        sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`
      ])
    ])

  const isWanted = ({ component, createdAfter, createdBefore, status }: RunFilter) =>
    sql.and([
      sql`r.session_id = s.session_id`,
      ...(component === undefined
        ? []
        : [sql`r.kind = ${component.kind}`, sql`r.component_id = ${text(component.id)}`]),
      ...(status === undefined ? [] : [sql`r.status = ${text(status)}`]),
      ...(createdAfter === undefined ? [] : [sql`r.created_at >= ${createdAfter}`]),
      ...(createdBefore === undefined ? [] : [sql`r.created_at <= ${createdBefore}`])
    ])

  const begin = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Beginning>>(),
      Result: BegunRow,
      execute: (beginnings) => short.unsafe(Statements.begin, Statements.beginParameters(beginnings))
    }),
    most: maxTogether
  })

  const finish = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Ending>>(),
      Result: Schema.Struct({ held: Schema.Boolean }),
      execute: (endings) => short.unsafe(Statements.finish, Statements.finishParameters(endings))
    }),
    most: maxTogether
  })

  const record = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Recorded>>(),
      Result: Schema.Struct({ recorded: Schema.Boolean }),
      execute: (recorded) => short.unsafe(Statements.record, Statements.recordParameters(recorded))
    }),
    most: maxTogether
  })

  const appendEvents = SqlSchema.findAll({
    Request: typed<ReadonlyArray<Happened>>(),
    Result: Schema.Struct({ run_id: Run.Id }),
    execute: (happened) => short.unsafe(Statements.appendEvents, Statements.appendEventsParameters(happened))
  })

  const rest = SqlSchema.findOneOption({
    Request: typed<Search & { readonly run: Run.Id }>(),
    Result: RestingRow,
    execute: ({ run, ...search }) =>
      sql`
        select ${resting} from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
        where r.run_id = ${text(run)} and ${isVisible(search)}`
  })

  const resume = SqlSchema.findOneOption({
    Request: typed<Continuation>(),
    Result: Schema.Struct({ attempt: Schema.Natural }),
    execute: ({ attempt, entry, node, run_id }) =>
      sql`
        with resumed as (
          update svc_runs set status = 'RUNNING', node = ${text(node)}, attempt = attempt + 1, takes_turns = false
          where run_id = ${text(run_id)} and attempt = ${attempt} and status in ('PAUSED', 'ERROR')
          returning seq, attempt
        ), said as (
          insert into svc_run_journal (run_seq, position, body)
          select seq, (select count(*)::int from svc_run_journal where run_seq = seq), ${
        jsonOrNull(entry ?? null)
      }::json
          from resumed where ${entry !== undefined}
        )
        select attempt from resumed`
  })

  const takeHands = SqlSchema.findAll({
    Request: typed<Takeover>(),
    Result: Schema.Struct({ run_id: Run.Id }),
    execute: ({ except = [], isStarting, limit, node, silence }) =>
      sql`
        update svc_runs set node = ${text(node)}, attempt = attempt + 1
        where seq in (
          select seq from svc_runs where is_unfinished and (
            node = ''
            or (${isStarting} and node = ${text(node)} and run_id <> all(${texts(except.map(text))}))
            or node in (
              select n.node from svc_nodes n
              where n.node <> ${text(node)} and n.seen_at < now() - make_interval(secs => ${silence ?? null}::float8)
            )
          ) order by seq limit ${limit} for update skip locked
        )
        returning run_id`
  })

  const findTaken = SqlSchema.findAll({
    Request: typed<ReadonlyArray<Run.Id>>(),
    Result: RestingRow,
    execute: (taken) =>
      sql`
        select ${resting} from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where r.run_id = any(${texts(taken)}) order by r.seq`
  })

  // Which run is the next one of a session is read from an index of what is unfinished, one session at a time.
  const takeTurns = SqlSchema.findAll({
    Request: typed<Turns>(),
    Result: TurnRow,
    execute: ({ node, sessions, unsure }) =>
      sql`
        with turned as (
          update svc_runs set status = 'RUNNING'
          where status = 'PENDING' and node = ${text(node)} and seq = any(array(
            select next.seq from unnest(${texts(sessions.map(text))}::text[]) as asked (session_id) cross join lateral (
              select w.seq, w.node from svc_runs w
              where w.session_id = asked.session_id and w.is_unfinished and w.status = 'PENDING'
              order by w.seq limit 1
            ) next
            where next.node = ${text(node)} and not exists (
              select from svc_runs b where b.session_id = asked.session_id and b.is_unfinished and b.status = 'RUNNING'
                and (b.takes_turns or b.seq < next.seq)
            )
          ))
          returning *
        ), r as (
          select * from turned
          union all
          select * from svc_runs
          where run_id = any(${texts(unsure.map(text))}::text[]) and node = ${text(node)} and status = 'RUNNING'
        )
        select r.run_id, ${seen} from r join svc_sessions s on s.session_id = r.session_id`
  })

  const recall = SqlSchema.findAll({
    Request: typed<Recall>(),
    Result: Schema.Struct({ history: Messages }),
    execute: (asked) => sql.unsafe(Statements.recall, Statements.recallParameters(asked))
  })

  const findForked = SqlSchema.findAll({
    Request: typed<Forking>(),
    Result: Schema.Struct({ copies: Schema.Natural }),
    execute: (forking) => fork(sql, forking)
  })

  const find = SqlSchema.findOneOption({
    Request: typed<Search & { readonly run: Run.Id }>(),
    Result: RunRow,
    execute: ({ run, ...search }) =>
      sql`
        select ${columns} from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
        where r.run_id = ${text(run)} and ${isVisible(search)}`
  })

  const list = SqlSchema.findAll({
    Request: typed<Search>(),
    Result: ListedRow,
    execute: (search) =>
      sql`
        select ${columns} from svc_sessions s left join svc_runs r on ${isWanted(search.filter)}
        where ${isVisible(search)} order by r.seq`
  })

  const readEvents = SqlSchema.findOneOption({
    Request: typed<Search & { readonly run: Run.Id; readonly range: EventRange }>(),
    Result: EventsRow,
    execute: ({ range: { after, limit }, run, ...search }) =>
      sql`
        select ${copy}, r.status, (select count(*)::int from svc_run_events e where e.run_seq = r.seq) as count, coalesce((
          select '[' || string_agg(e.body::text, ',' order by e.event_index) || ']' from (
            select e.body, e.event_index from svc_run_events e
            where e.run_seq = r.seq and e.event_index > ${after} order by e.event_index limit ${limit}
          ) e
        ), '[]') as events
        from svc_sessions s join svc_runs r on ${isWanted(search.filter)}
        where r.run_id = ${text(run)} and ${isVisible(search)}`
  })

  const requestCancel = SqlSchema.findOne({
    Request: typed<Search & { readonly run: Run.Id }>(),
    Result: Schema.Struct({ found: Schema.Boolean }),
    execute: ({ run, ...search }) =>
      sql`
        with found as (
          select r.seq from svc_runs r join svc_sessions s on ${isWanted(search.filter)}
          where r.run_id = ${text(run)} and ${isVisible(search)}
        ), asked as (
          update svc_runs r set cancel_requested = true
          from found where r.seq = found.seq and r.status in ('PENDING', 'RUNNING', 'PAUSED')
        )
        select exists (select from found) as found`
  })

  const findCancelRequested = SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ run_id: Run.Id }),
    execute: (node) =>
      sql`select run_id from svc_runs where node = ${text(node)} and is_unfinished and cancel_requested`
  })

  const accept = (beginning: Beginning) =>
    begin(beginning).pipe(
      Effect.catchReasons("SqlError", {
        UniqueViolation: () => Effect.fail(new RunExists({ run_id: beginning.run_id })),
        ConstraintError: (reason, error) =>
          // the session was deleted between the statement's two looks at it
          isMissingReference(reason)
            ? Effect.succeed({ outcome: "raced" as const, is_waiting: false, session_state: {}, history: [] })
            : Effect.fail(error)
      })
    )

  return RunStore.of({
    begin: Effect.fnUntraced(function*(beginning) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const { is_waiting, outcome, ...begun } = yield* accept(beginning)
        if (outcome === "accepted") return { ...begun, isWaiting: is_waiting }
        if (outcome === "busy") return yield* new SessionBusy({ session_id: beginning.session_id })
        if (outcome === "refused") return yield* new SessionNotFound({ session_id: beginning.session_id })
      }
      return yield* new StorageUnavailable({ cause: `Session '${beginning.session_id}' does not stand still` })
    }, orUnavailable),
    finish: (ending) => Effect.map(orUnavailable(finish(ending)), ({ held }) => held),
    find: Effect.fn("SqlRunStore.find")(function*(session, run, filter) {
      return Option.map(yield* find({ session, run, filter }), toOutput)
    }, orUnavailable),
    list: Effect.fn("SqlRunStore.list")(function*(session, filter) {
      const rows = yield* list({ session, filter })
      return rows.length === 0 ? Option.none() : Option.some(toOutputs(rows))
    }, orUnavailable),
    fork: Effect.fn("SqlRunStore.fork")(function*(forking) {
      const [row] = yield* findForked(forking)
      return (row?.copies ?? 0) > 0
    }, orUnavailable),
    recall: Effect.fn("SqlRunStore.recall")(function*(asked) {
      return (yield* recall(asked)).flatMap(({ history }) => history)
    }, orUnavailable),
    recordInner: (outer, inner) =>
      Effect.asVoid(
        orUnavailable(short.unsafe(Statements.recordInner, Statements.recordInnerParameters(outer, inner)))
      ),
    record: (recorded) => Effect.map(orUnavailable(record(recorded)), (stored) => stored.recorded),
    rest: Effect.fn("SqlRunStore.rest")(function*(session, run, filter) {
      return Option.map(yield* rest({ session, run, filter }), toResting)
    }, orUnavailable),
    resume: Effect.fn("SqlRunStore.resume")(function*(continuation) {
      return Option.map(yield* resume(continuation), ({ attempt }) => attempt)
    }, orUnavailable),
    takeOver: Effect.fn("SqlRunStore.takeOver")(function*(takeover) {
      const taken = yield* takeHands(takeover)
      // Read when they are in these hands, and not in the same statement: that would see them as they were when it began,
      // without what their last holder wrote while it waited for them.
      return taken.length === 0 ? [] : (yield* findTaken(taken.map(({ run_id }) => run_id))).map(toResting)
    }, orUnavailable),
    supersede: Effect.fn("SqlRunStore.supersede")(function*(run) {
      yield* sql`
        update svc_runs set status = 'REGENERATED'
        where run_id = ${text(run)} and status not in ('PENDING', 'RUNNING')`
    }, orUnavailable),
    beat: Effect.fn("SqlRunStore.beat")(function*(node) {
      yield* sql`
        insert into svc_nodes (node, seen_at) values (${text(node)}, now())
        on conflict (node) do update set seen_at = excluded.seen_at`
    }, orUnavailable),
    release: Effect.fn("SqlRunStore.release")(function*(node) {
      yield* sql`
        with gone as (delete from svc_nodes where node = ${text(node)})
        update svc_runs set node = '' where node = ${text(node)} and is_unfinished`
    }, orUnavailable),
    takeTurns: Effect.fn("SqlRunStore.takeTurns")(function*(turns) {
      // somebody else has given the turn to another run at the same moment: there will be a next time
      return yield* Effect.catchReason(takeTurns(turns), "SqlError", "UniqueViolation", () => Effect.succeed([]))
    }, orUnavailable),
    appendEvents: (happened) =>
      Effect.map(orUnavailable(appendEvents(happened)), (rows) => rows.map(({ run_id }) => run_id)),
    readEvents: Effect.fn("SqlRunStore.readEvents")(function*(session, run, filter, range) {
      const found = yield* readEvents({ session, run, filter, range })
      // They were written by this service, and go out as they were: decoding them would put their keys in another order.
      return Option.map(found, ({ copy, events, ...rest }) => ({
        ...rest,
        events: events.map(eventOf(copy)) as unknown as ReadonlyArray<RunEvent.RunEvent>
      }))
    }, orUnavailable),
    requestCancel: Effect.fn("SqlRunStore.requestCancel")(function*(run, session, filter) {
      return (yield* requestCancel({ run, session, filter })).found
    }, orUnavailable),
    cancelRequested: Effect.fn("SqlRunStore.cancelRequested")(function*(node) {
      return (yield* findCancelRequested(node)).map(({ run_id }) => run_id)
    }, orUnavailable)
  })
})

// Each attempt sees what the one before it lost to, so a second one is enough unless sessions come and go all the time.
const maxAttempts = 5

// More would not be faster, and the parameters of one statement have to fit into memory.
const maxTogether = 64

export const layer: Layer.Layer<RunStore, never, SqlClient.SqlClient> = Layer.effect(RunStore, make)
