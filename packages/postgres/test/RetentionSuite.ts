// What retention does to the database: pieces of ended answers take less room and read as before, and what is older
// than it has to be kept is removed, a bounded number of rows at a time. Each test has a database of its own.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { at, root } from "@svc-runtime/features/traces/test/SampleTraces"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import * as Approvals from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as Jobs from "@svc-runtime/test-support/suites/jobs/Jobs"
import { ending, events, newRun, sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlServices } from "../src/ShortStatements.ts"
import { sessionTables, writeSessionRows } from "./sessionRows.ts"

const anyone = { owner: Owner.anyone }
const hour = 3600

/** All that there is to do, and how many pieces that took. */
const pruned = Effect.fnUntraced(function*(task: string, seconds = hour) {
  const store = yield* RetentionStore
  let pieces = 0
  while ((yield* store.prune(task, seconds)) > 0) pieces++
  return pieces
})

const countOf = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
  return row?.count ?? 0
})

/** A run that ended long ago, with so many words, and something else among them. */
const streamed = Effect.fnUntraced(function*(words: number, status: "COMPLETED" | "ERROR" | "PAUSED" = "COMPLETED") {
  const runs = yield* RunStore
  const begun = newRun({ command: { stream: true }, isSerialized: false })
  yield* runs.create({ ...begun, startEvent: events(begun, 0)[0] })
  const happened = events(begun, words).map((event, index): RunEvent.RunEvent =>
    index > 0 && index % 97 === 0 && event.event === "RunContent"
      ? { ...event, event: "RunContentCompleted" } as never
      : event.event === "RunContent"
      ? { ...event, content: `word\u0000 "${index}" ` }
      : event
  )
  yield* runs.finish(ending(begun, { run: { status }, events: happened }))
  return { begun, happened }
})

const readAll = Effect.fnUntraced(function*(begun: ReturnType<typeof newRun>, after: number, limit: number) {
  const runs = yield* RunStore
  const all: Array<RunEvent.RunEvent> = []
  for (let from = after;;) {
    const read = yield* Effect.flatMap(
      runs.readEvents(begun.session_id, begun.run_id, anyone, { after: from, limit }),
      Effect.fromOption
    )
    assert.isAtMost(read.events.length, limit)
    if (read.events.length === 0) return { all, count: read.count }
    all.push(...read.events)
    from = read.events.at(-1)!.event_index
  }
})

export const suite = <E>(name: string, database: Layer.Layer<SqlServices, E>) =>
  describe(`Retention, ${name}`, () => {
    const fresh = SqlStores.layer.pipe(Layer.provideMerge(database))

    it.live("the pieces of an ended answer are folded, and the events are the same from any index on", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const { begun, happened } = yield* streamed(2500)
        const rows = yield* countOf("svc_run_events")
        assert.isAtMost(yield* pruned("folds"), 6)
        assert.isBelow(yield* countOf("svc_run_events"), rows / 10)
        assert.isAbove(yield* countOf("svc_run_event_folds"), 1)
        for (const [after, limit] of [[-1, 500], [-1, 170], [0, 1000], [96, 300], [997, 500], [2490, 500]] as const) {
          const { all, count } = yield* readAll(begun, after, limit)
          assert.strictEqual(count, happened.length)
          assert.deepStrictEqual(all, happened.slice(after + 1))
        }
        const status = yield* runs.readEvents(begun.session_id, begun.run_id, anyone, { after: 2 ** 31 - 1, limit: 0 })
        assert.deepStrictEqual(Option.getOrThrow(status), { status: "COMPLETED", count: happened.length, events: [] })
        const [polled] = yield* runs.pollEvents([{ run_id: begun.run_id, after: 1200 }], 500)
        assert.isTrue(polled?.hasMore)
        assert.deepStrictEqual(polled?.events, happened.slice(1201, 1201 + polled!.events.length))
        const found = Option.getOrThrow(yield* runs.find(begun.session_id, begun.run_id, anyone))
        assert.strictEqual("events" in found ? (found.events as Array<unknown>).length : 0, 2500 - 2475 + 3)
      }).pipe(Effect.provide(fresh)))

    it.live("a damaged fold keeps no other run from being folded", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        for (const index of [1, 150, 2_147_483_647]) {
          const [damaged, whole] = [yield* streamed(200), yield* streamed(200)]
          const folds = sql<{ readonly count: number }>`
            select count(*)::int as count from svc_run_event_folds
            where run_seq = (select seq from svc_runs where run_id = ${whole.begun.run_id})`
          yield* sql`
            insert into svc_run_event_folds (run_seq, first_index, last_index, body)
            select seq, 1, ${index}, '{}' from svc_runs where run_id = ${damaged.begun.run_id}`
          yield* pruned("folds")
          assert.isAbove((yield* folds)[0]?.count ?? 0, 0)
          assert.deepStrictEqual((yield* readAll(whole.begun, -1, 500)).all, whole.happened)
        }
      }).pipe(Effect.provide(fresh)))

    it.live("a continued run numbers its events after the folded ones, and those are folded as well", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const { begun, happened } = yield* streamed(50, "ERROR")
        yield* pruned("folds")
        const { run_id, session_id } = begun
        const stored = Option.getOrThrow(yield* runs.snapshot(session_id, run_id, anyone))
        assert.strictEqual(stored.eventCount, happened.length)
        yield* runs.resume({ run_id, attempt: 1, node: "node", entry: undefined })
        const more = events(begun, 50).map((event) => ({ ...event, event_index: event.event_index + happened.length }))
        yield* runs.appendEvents([{ run_id, attempt: 2, events: more.slice(0, 20) }])
        assert.strictEqual(yield* pruned("folds"), 0, "the run is executing")
        yield* runs.finish(ending(begun, { attempt: 2, events: more.slice(20) }))
        yield* pruned("folds")
        assert.deepStrictEqual((yield* readAll(begun, -1, 30)).all, [...happened, ...more])
        assert.strictEqual(yield* pruned("folds"), 0)
      }).pipe(Effect.provide(fresh)))

    it.live("folded events are copied with their session", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const { begun, happened } = yield* streamed(30)
        yield* pruned("folds")
        const copy = { session_id: sessionId(), source: begun.session_id, filter: anyone, created_at: 5 }
        assert.isTrue(Option.isSome(yield* runs.fork(copy)))
        const [run] = Option.getOrThrow(yield* runs.list(copy.session_id, anyone))
        const { all } = yield* readAll({ ...begun, session_id: copy.session_id, run_id: run!.run_id }, -1, 10)
        assert.deepStrictEqual(
          all.map(({ event_index }) => event_index),
          happened.map(({ event_index }) => event_index)
        )
      }).pipe(Effect.provide(fresh)))

    it.live("events of runs that ended long ago are removed in pieces, all but the last of each", () =>
      Effect.gen(function*() {
        const folded = yield* streamed(1500)
        yield* pruned("folds")
        const written = yield* streamed(2500)
        const runs = yield* RunStore
        const recent = newRun()
        yield* runs.create({ ...recent, startEvent: events(recent, 0)[0] })
        yield* runs.appendEvents([{ run_id: recent.run_id, attempt: 1, events: events(recent, 5) }])
        assert.isAbove(yield* pruned("events"), 1)
        for (const { begun, happened } of [folded, written]) {
          const { all, count } = yield* readAll(begun, -1, 500)
          assert.deepStrictEqual(all, happened.slice(-1))
          assert.strictEqual(count, happened.length)
        }
        assert.strictEqual((yield* readAll(recent, -1, 500)).all.length, 8, "it has not ended")
        assert.strictEqual(yield* pruned("events"), 0)
      }).pipe(Effect.provide(fresh)))

    it.live("A run that was paused for too long is cancelled with its approvals and those of nested runs", () =>
      Effect.gen(function*() {
        const [runs, approvals] = [yield* RunStore, yield* ApprovalStore]
        const begun = newRun({ command: { stream: true }, entries: [{ step: 1 }] })
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
        const { run_id, session_id } = begun
        const requested = Approvals.approval({ run_id, session_id })
        const inner = Approvals.approval({ session_id })
        yield* Effect.forEach([requested, inner], (one) => approvals.create(one, run_id))
        assert.strictEqual(yield* pruned("journals", 10 ** 9), 0)
        yield* pruned("journals")
        assert.strictEqual(yield* countOf("svc_run_journal"), 0)
        assert.strictEqual(Option.getOrThrow(yield* runs.find(session_id, run_id, anyone)).status, "CANCELLED")
        for (const run of [run_id, inner.run_id]) {
          assert.deepStrictEqual((yield* approvals.listByRun(run, 5)).map(({ status }) => status), ["cancelled"])
        }
      }).pipe(Effect.provide(fresh)))

    it.live("the runs that have been paused for too long are found page by page, and no others", () =>
      Effect.gen(function*() {
        const [runs, store] = [yield* RunStore, yield* RetentionStore]
        const paused: Array<string> = []
        for (const status of [...Array.from({ length: 12 }, () => "PAUSED" as const), "ERROR", "COMPLETED"] as const) {
          const begun = newRun({ command: { stream: true } })
          yield* runs.create(begun)
          yield* runs.finish(ending(begun, { run: { status } }))
          if (status === "PAUSED") paused.push(begun.run_id)
        }
        const first = yield* store.paused(hour, undefined)
        const second = yield* store.paused(hour, first.at(-1)?.run_id)
        assert.deepStrictEqual([...first, ...second].map(({ run_id }) => run_id as string), paused.toSorted())
        assert.isBelow(first.length, paused.length)
        assert.deepStrictEqual(yield* store.paused(hour, second.at(-1)?.run_id), [])
        assert.deepStrictEqual(yield* store.paused(10 ** 9, undefined), [])
      }).pipe(Effect.provide(fresh)))

    it.live("expired keys, old audit entries, and nodes without leases are removed", () =>
      Effect.gen(function*() {
        const [sql, keys, runs] = [yield* SqlClient.SqlClient, yield* IdempotencyStore, yield* RunStore]
        const claim = { claim_id: "c", fingerprint: "f", subject: {}, created_at: 5, expires_at: 10 }
        yield* Effect.forEach(Array.from({ length: 30 }), (_, n) => keys.claim({ ...claim, key: `${n}` }))
        yield* keys.claim({ ...claim, key: "valid", expires_at: 10 ** 10 })
        yield* pruned("idempotency", 0)
        assert.strictEqual(yield* countOf("svc_idempotency"), 1)
        yield* sql`insert into svc_audit (at, credential, action, subject_kind, subject_id)
          select case when n > 700 then extract(epoch from now())::bigint else n end, 'c', 'a', 'k', 's'
          from generate_series(1, 710) n`
        assert.isAtLeast(yield* pruned("audit"), 2)
        assert.strictEqual(yield* countOf("svc_audit"), 10)
        yield* runs.create(newRun({ node: "holding" }))
        yield* sql`insert into svc_nodes (node, seen_at) values ('holding', now() - interval '2 hours'),
          ('gone', now() - interval '2 hours'), ('alive', now())`
        yield* pruned("nodes")
        const left = yield* sql<{ readonly node: string }>`select node from svc_nodes order by node`
        assert.deepStrictEqual(left.map(({ node }) => node), ["alive", "holding"])
      }).pipe(Effect.provide(fresh)))

    it.live("traces are removed after a time with their spans, and those of removed sessions that came late", () =>
      Effect.gen(function*() {
        const traces = yield* TraceStore
        const now = Date.now() * 1000
        const [old, recent, late] = [sessionId(), sessionId(), sessionId()]
        const from = (session_id: string, time: number) => root({ session_id, started_at: time, ended_at: time })
        yield* traces.write([from(old, now - 2 * hour * 1_000_000), from(recent, now), from(late, now)], now)
        // a trace that shows another session than the removed one
        const shown = from(sessionId(), now - 1)
        yield* traces.write([shown, { ...from(late, now), trace_id: shown.trace_id }], now)
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into svc_trace_removals (session_id, user_id, has_user, removed_at)
          values (${late}, '', false, ${String(now)}::bigint), ('long ago', '', false, 1)`
        assert.strictEqual(yield* pruned("traces"), 1)
        yield* pruned("traceRemovals")
        assert.deepStrictEqual(yield* sql`select session_id from svc_spans`, [{ session_id: recent }])
        assert.deepStrictEqual([yield* countOf("svc_traces"), yield* countOf("svc_trace_removals")], [1, 1])
      }).pipe(Effect.provide(fresh)))

    it.live("ended jobs are removed after a time, and others stay", () =>
      Effect.gen(function*() {
        const [sql, jobs] = [yield* SqlClient.SqlClient, yield* JobStore]
        const [old, recent, waiting] = [Jobs.job(), Jobs.job(), Jobs.job()]
        yield* Jobs.enqueue(old, recent, waiting)
        yield* Effect.forEach([old, recent], ({ id }) => jobs.cancel(id, Owner.anyone))
        yield* sql`update svc_jobs set updated_at = now() - interval '2 hours' where id in (${old.id}, ${waiting.id})`
        assert.strictEqual(yield* pruned("jobs"), 1)
        assert.deepStrictEqual((yield* Jobs.list({})).jobs.map(({ id }) => id), [waiting.id, recent.id])
      }).pipe(Effect.provide(fresh)))

    it.live("everything of a session goes with the session, and what belongs to its user stays", () =>
      Effect.gen(function*() {
        const [sql, runs, keys] = [yield* SqlClient.SqlClient, yield* RunStore, yield* IdempotencyStore]
        const [approvals, sessions] = [yield* ApprovalStore, yield* SessionStore]
        const { begun } = yield* streamed(20, "PAUSED")
        const { run_id, session_id } = begun
        yield* pruned("folds")
        yield* runs.resume({ run_id, attempt: 1, node: "node", entry: { decision: "continue" } })
        yield* approvals.create(Approvals.approval({ run_id, session_id }), run_id)
        yield* Jobs.enqueue(Jobs.job({ session_id }))
        yield* keys.claim({
          key: "k",
          claim_id: "c",
          fingerprint: "f",
          subject: { run_id, session_id },
          created_at: 5,
          expires_at: 10 ** 10
        })
        yield* writeSessionRows({ run_id, session_id })
        const traces = yield* TraceStore
        yield* traces.write([root({ run_id, session_id })], 1)
        // a conversation on a platform continues in another session, and knows which events it has had
        const channels = ["svc_channel_events", "svc_channel_sessions"]
        const staying = ["svc_memories", "svc_learnings", "svc_trace_removals", "svc_schedule_runs", ...channels]
        const tables = yield* sessionTables
        const runTables = ["svc_runs", "svc_run_journal", "svc_run_events", "svc_run_event_folds"]
        assert.includeMembers(tables, [...runTables, "svc_idempotency"])
        // nothing of this session is large, and its messages are stored with its end
        const empty = ["svc_messages", "svc_large_texts", "svc_trace_removals"]
        for (const table of tables.filter((table) => !empty.includes(table))) {
          assert.isAbove(yield* countOf(table), 0, `${table} has something of the session`)
        }
        yield* sessions.remove([session_id], Owner.anyone)
        yield* traces.removeOfSessions([session_id], Owner.anyone, at(1))
        for (const table of tables) assert.strictEqual(yield* countOf(table), staying.includes(table) ? 1 : 0, table)
        assert.deepStrictEqual(
          yield* sql`select status, run_id, session_id, error, input, output, requirements from svc_schedule_runs`,
          [{
            status: "success",
            run_id: null,
            session_id: null,
            error: null,
            input: null,
            output: null,
            requirements: null
          }]
        )
      }).pipe(Effect.provide(fresh)))
  })
