// What the stores cost the database: how many statements each method is, and that a run costs the same however long its
// session is. Time is not measured here; what the database reads is.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, events, newRun, presence, session, sessionId, talk } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Ref } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as CreateColumns from "../src/runs/CreateColumns.ts"
import * as CreateStatement from "../src/runs/CreateStatement.ts"
import * as FinishStatement from "../src/runs/FinishStatement.ts"
import * as InnerStatements from "../src/runs/InnerStatements.ts"
import { pagesOf } from "./pagesOf.ts"
import { statementsOf } from "./statementsOf.ts"
import { Stores } from "./Stores.ts"

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layerCopied)))("What the stores cost", (it) => {
  it.effect("each method is one statement, and one more where sizes are read first, or a page is past the last", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = newRun({ history: 5 })
      const again = newRun({ session_id: begun.session_id, history: 5 })
      const { run_id, session_id } = begun
      const made = session()
      const sort = { by: "created_at", order: "desc" } as const
      const component = { kind: "agent", id: begun.component_id } as const
      const limits = { runsAtOnce: 9, runsPerMinute: 9, tokensPerDay: 9 }
      const limited = StartLimits.of({ user: limits, service: limits }, begun, limits)
      const waiting = StartLimits.of({ user: { runsAtOnce: 1 }, whenExceeded: "queue" }, begun, undefined)
      const counts: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, number]> = [
        ["begin, first run", runs.create(begun), 1],
        ["begin, later run", runs.create(again), 1],
        ["begin, with limits", runs.create({ ...newRun(), limited }), 1],
        ["begin, that may wait", runs.create({ ...newRun(), limited: waiting }), 1],
        ["admitWaiting", runs.admitWaiting("node"), 1],
        ["finish", runs.finish(ending(begun, { events: events(begun, 10), run: { messages: talk("q", "a") } })), 1],
        ["find a run", runs.find(session_id, run_id, { owner: Owner.anyone }), 1],
        ["outlines of runs", runs.outlines([{ run_id, session_id }, newRun()], { owner: Owner.anyone }), 2],
        ["outlines of unknown runs", runs.outlines([newRun(), newRun()], { owner: Owner.anyone }), 1],
        ["list runs", runs.list(session_id, { owner: Owner.anyone }), 2],
        ["search", runs.search({ filter: { owner: Owner.anyone, component }, limit: 9 }), 1],
        [
          "search that reads",
          runs.search({ filter: { owner: Owner.anyone, component }, limit: 9, isReading: true }),
          2
        ],
        ["listAll", runs.listAll({ owner: Owner.anyone }, { page: 1, limit: 9 }), 1],
        ["listAll, past the last page", runs.listAll({ owner: Owner.anyone }, { page: 9, limit: 9 }), 2],
        ["appendEvents", runs.appendEvents([{ run_id, attempt: 1, events: events(begun, 3) }]), 1],
        ["record", runs.record({ run_id, attempt: 1, position: 0, entry: {}, events: events(begun, 3) }), 1],
        ["snapshot", runs.snapshot(session_id, run_id, { owner: Owner.anyone }), 1],
        ["resume", runs.resume({ run_id, attempt: 1, node: "node", entry: {} }), 1],
        ["resume, with limits", runs.resume({ run_id, attempt: 2, node: "node", entry: {}, limited }), 1],
        ["takeOver", runs.takeOver({ node: "node", isStarting: true, isSteady: true, limit: 9 }), 1],
        ["load", runs.load({ run_id, attempt: 2 }), 1],
        ["postpone", runs.postpone({ run_id, attempt: 2, seconds: 1 }), 1],
        ["nodes", runs.nodes, 1],
        ["supersede", runs.supersede(run_id, 9), 1],
        ["dequeue", runs.dequeue({ node: "node", sessions: [session_id], uncertain: [run_id] }), 1],
        [
          "fork",
          runs.fork({ source: session_id, session_id: sessionId(), filter: { owner: Owner.anyone }, created_at: 1 }),
          1
        ],
        ["recall", runs.memberHistory({ run_id, component: { kind: "agent", id: "a" }, team: "desk", limit: 3 }), 1],
        ["heartbeat", runs.heartbeat(presence("node")), 1],
        ["release", runs.release("node"), 1],
        ["readEvents", runs.readEvents(session_id, run_id, { owner: Owner.anyone }, { after: -1, limit: 9 }), 1],
        ["requestCancel", runs.requestCancel(run_id, session_id, { owner: Owner.anyone }), 1],
        ["unfinished", runs.unfinished([session_id], Owner.anyone, 9), 1],
        ["cancelRequested", runs.cancelRequested("node"), 1],
        ["create", sessions.create(made), 1],
        ["find", sessions.find(session_id, Owner.anyone), 1],
        ["getConversation", sessions.getConversation(session_id, Owner.anyone), 1],
        ["update", sessions.update(session_id, Owner.anyone, { session_name: "x", updated_at: 1 }), 1],
        ["list", sessions.list({ owner: Owner.anyone }, { page: 1, limit: 1 }, sort), 1],
        ["list, past the last page", sessions.list({ owner: Owner.anyone }, { page: 9, limit: 9 }, sort), 2],
        ["remove", sessions.remove([made.session_id, session_id], Owner.anyone), 2]
      ]
      for (const [name, method, expected] of counts) assert.strictEqual(yield* statementsOf(method), expected, name)
    }))

  it.effect("the cost does not grow with the session: a run reads as much after 2,000 runs as after 10", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* RunStore
      const pages = yield* Effect.forEach(
        [10, 2_000],
        Effect.fnUntraced(function*(length) {
          const session_id = sessionId()
          const first = newRun({ session_id })
          yield* runs.create(first)
          yield* runs.finish(ending(first, { run: { messages: talk("q", "a") } }))
          // the earlier runs are copies of the first, half of them failed, with its messages
          yield* sql`
          with copies as (
            insert into svc_runs (
              run_id, session_id, kind, component_id, node, status, created_at, updated_at, output, history_bytes
            )
            select run_id || copy, session_id, kind, component_id, node,
              case copy % 2 when 0 then status else 'ERROR' end, created_at, updated_at, output, history_bytes
            from svc_runs, generate_series(1, ${length}) as copy where session_id = ${session_id}
            returning seq
          )
          insert into svc_messages (run_seq, position, role, from_history, body)
          select copies.seq, position, role, from_history, body from copies, svc_messages
          where run_seq = (select seq from svc_runs where run_id = ${first.run_id})`
          const next = newRun({ session_id, history: 3 })
          const begin = yield* pagesOf(
            CreateStatement.variantFor({ isLimited: false, isPlaced: false }).skipsLocked,
            CreateColumns.parameters([CreateColumns.encode(next, "begin")], { history: 1e6, inline: 1e6 })
          )
          assert.strictEqual((yield* runs.create(next)).history.length, 6)
          const end = ending(next, { run: { messages: talk("q", "a") } })
          return {
            begin,
            finish: yield* pagesOf(FinishStatement.statement, FinishStatement.parameters([FinishStatement.encode(end)]))
          }
        })
      )
      const [short, long] = pages
      // the trees may have become a page or two higher in the meantime
      assert.isAtMost(long!.begin, short!.begin + 10, `begin, ${JSON.stringify(pages)}`)
      assert.isAtMost(long!.finish, short!.finish + 10, `finish, ${JSON.stringify(pages)}`)
    }))

  it.effect("the cost of a takeover does not grow with the runs of living nodes, and no output is read", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* RunStore
      const [node, other] = ["living", "looking"]
      const first = newRun({ node })
      yield* runs.create(first)
      yield* runs.heartbeat(presence(node))
      const pages = yield* Effect.forEach([10, 2_000], (count) =>
        Effect.andThen(
          sql`
            insert into svc_runs (run_id, session_id, kind, component_id, node, status, created_at, updated_at, output)
            select run_id || '-' || ${count}::int || '-' || copy, session_id, kind, component_id, node, status, created_at,
              updated_at, output
            from svc_runs, generate_series(1, ${count}::int) as copy where run_id = ${first.run_id}`,
          Effect.gen(function*() {
            const taken = yield* Ref.make<readonly [string, ReadonlyArray<unknown>]>(["", []])
            const keep: Statement.Transformer = (statement) => Effect.as(Ref.set(taken, statement.compile()), statement)
            const takeover = {
              node: other,
              isStarting: false,
              isSteady: true,
              limit: 100,
              components: ["agent/x"],
              format: 1
            }
            yield* Effect.provideService(runs.takeOver(takeover), Statement.CurrentTransformer, keep)
            const [text, parameters] = yield* Ref.get(taken)
            const without = yield* pagesOf(text, parameters)
            yield* sql`analyze`
            return { without, withStatistics: yield* pagesOf(text, parameters) }
          })
        ))
      const [few, many] = pages
      assert.isAtMost(many!.without, few!.without + 20, JSON.stringify(pages))
      assert.isAtMost(many!.withStatistics, few!.withStatistics + 20, JSON.stringify(pages))
    }))

  it.effect("the cost does not grow with the members of teams: each reads only its own history, up to its limit", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* RunStore
      const pages = yield* Effect.forEach(
        [10, 2_000],
        Effect.fnUntraced(function*(length) {
          const session_id = sessionId()
          const outer = { kind: "team", component_id: "desk", session_id } as const
          const first = newRun(outer)
          yield* runs.create(first)
          // one in ten is of the member that asks
          yield* sql`
          with members as (
            insert into svc_runs (
              run_id, session_id, parent_run_id, outermost_run_id, kind, component_id, node, status, created_at, updated_at,
              output
            )
            select run_id || '.' || n, session_id, run_id, run_id, 'agent', case n % 10 when 0 then 'reader' else 'writer' end,
              node, 'COMPLETED', 1, 1, output
            from svc_runs, generate_series(1, ${length}) as n where run_id = ${first.run_id}
            returning seq
          )
          insert into svc_messages (run_seq, position, role, from_history, body)
          select seq, 1, 'user', false, ${JSON.stringify(talk("q", "a")[1])}::json from members`
          yield* runs.finish(ending(first))
          const next = newRun(outer)
          yield* runs.create(next)
          const component = { kind: "agent", id: "reader" } as const
          const query = { run_id: next.run_id, component, team: "desk", limit: 1 }
          assert.strictEqual((yield* runs.memberHistory(query)).length, 1)
          return yield* pagesOf(InnerStatements.recall, InnerStatements.recallParameters(query, 1e6))
        })
      )
      const [short, long] = pages
      assert.isAtMost(long!, short! + 10, JSON.stringify(pages))
    }))
})
