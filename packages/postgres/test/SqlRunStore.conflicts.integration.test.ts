// What happens when two of the stores' statements meet in the database. Each test stops one of them half-way, inside of
// a transaction, waits until the database says that the other one waits for it, and releases it.
import { assert, layer } from "@effect/vitest"
import * as Component from "@svc-runtime/domain/Component"
import * as Owner from "@svc-runtime/domain/Owner"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as FaultySql from "@svc-runtime/test-support/FaultySql"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import {
  ending,
  events,
  newRun,
  runId,
  session,
  sessionId,
  talk,
  userId
} from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { ShortStatements } from "../src/ShortStatements.ts"
import { during, waiting } from "./during.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(2)

const runsOf = ({ session_id }: NewRun) =>
  RunStore.use((runs) => runs.list(session_id, { owner: Owner.anyone })).pipe(
    Effect.map(Option.map((runs) => runs.map(({ run_id }) => run_id))),
    Effect.map(Option.getOrUndefined)
  )

const rowsOf = Effect.fnUntraced(function*({ run_id }: NewRun) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select (select count(*)::int from svc_runs where run_id = ${run_id}) as runs,
      (select count(*)::int from svc_messages) as messages, (select count(*)::int from svc_run_events) as events`
  return row
})

/** The first statement loses its connection, and is committed when the next one waits for it. */
const cutOff = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let holder: Fiber.Fiber<unknown, unknown> | undefined
  const cutting: Statement.Transformer = (statement, connections) =>
    Effect.gen(function*() {
      if (holder !== undefined) return statement
      holder = yield* Effect.andThen(statement, Deferred.succeed(begun, undefined)).pipe(
        Effect.provideService(Statement.CurrentTransformer, undefined),
        Effect.andThen(Deferred.await(released)),
        sql.withTransaction,
        Effect.forkDetach
      )
      yield* Deferred.await(begun)
      return connections.unsafe(FaultySql.textOf(FaultySql.faults["a server that shuts down"]))
    })
  const calling = yield* Effect.forkChild(
    Effect.result(Effect.provideService(effect, Statement.CurrentTransformer, cutting))
  )
  yield* waiting
  yield* Deferred.succeed(released, undefined)
  return yield* Fiber.join(calling)
})

/** The first statement has no effect and no reply. */
const losingFirst = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let isLost = false
  const losing: Statement.Transformer = (statement, connections) =>
    Effect.sync(() => {
      if (isLost) return statement
      isLost = true
      return connections.unsafe(FaultySql.textOf(FaultySql.faults["a server that shuts down"]))
    })
  return Effect.provideService(effect, Statement.CurrentTransformer, losing)
}

// Statements that have connections of their own would not be part of the transactions that hold them up here.
const Database = Stores.pipe(
  Layer.provide(Layer.succeed(ShortStatements, undefined)),
  Layer.provideMerge(PostgresLayer.layer)
)

layer(Database, { excludeTestServices: true })("Statements that meet", (it) => {
  it.effect("two first runs make one session, and both are in it", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun({ user_id: userId() })
      const second = { ...first, run_id: runId() }
      const outcome = yield* during(runs.create(first), runs.create(second))
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id, second.run_id])
    }))

  it.effect("exactly one of two runs that are created at once starts, and the other one is queued or refused", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const if_busy of ["queue", "reject"] as const) {
        const before = newRun({ isSerialized: true })
        yield* runs.create(before)
        yield* runs.finish(ending(before))
        const first = { ...before, run_id: runId() }
        const outcome = yield* during(runs.create(first), runs.create({ ...before, run_id: runId(), if_busy }))
        if (if_busy === "queue") assert.isTrue(outcome._tag === "Success" && outcome.success.isQueued)
        else assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "SessionBusy")
      }
    }))

  it.effect("a run is dequeued once by two statements at the same moment", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun({ isSerialized: true })
      const second = { ...first, run_id: runId() }
      yield* runs.create(first)
      yield* runs.create(second)
      yield* runs.finish(ending(first))
      const dequeue = runs.dequeue({ node: first.node, sessions: [first.session_id], uncertain: [] })
      const outcome = yield* during(dequeue, dequeue)
      assert.deepStrictEqual(outcome._tag === "Success" && outcome.success, [])
      const [run] = yield* runs.dequeue({ node: first.node, sessions: [], uncertain: [second.run_id] })
      assert.strictEqual(run?.run_id, second.run_id)
    }))

  it.effect("a first run finds no session that another user is creating", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const first = newRun({ user_id: userId() })
      const outcome = yield* during(runs.create(first), runs.create({ ...first, run_id: runId(), user_id: userId() }))
      assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "SessionNotFound")
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id])
    }))

  it.effect("a session without an owner is taken over once", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const stored = session()
      yield* sessions.create(stored)
      const first = newRun({ session_id: stored.session_id, user_id: userId() })
      const foreign = yield* during(runs.create(first), runs.create({ ...first, run_id: runId(), user_id: userId() }))
      assert.strictEqual(foreign._tag === "Failure" && foreign.failure._tag, "SessionNotFound")
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id])
    }))

  it.effect("an isolated user finds no session that another one, or one without a name, is creating", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const user_id of [userId(), null]) {
        const first = newRun({ isolated: true, user_id })
        const outcome = yield* during(runs.create(first), runs.create({ ...first, run_id: runId(), user_id: userId() }))
        assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "SessionNotFound")
        assert.deepStrictEqual(yield* runsOf(first), [first.run_id])
      }
    }))

  it.effect("an isolated user does not get a session back that loses its owner while a run changes it", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      const first = newRun({ isolated: true, user_id: userId() })
      yield* runs.create(first)
      const renamed = { ...first, run_id: runId(), component_data: { name: "Renamed" } }
      const disown = sql`update svc_sessions set user_id = null where session_id = ${first.session_id}`
      const outcome = yield* during(disown, runs.create(renamed))
      assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "SessionNotFound")
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id])
    }))

  it.effect("a run does not get into a session that another user creates in the place of a removed one", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      for (const isolated of [false, true]) {
        for (const component_data of [newRun().component_data, { name: "Renamed" }]) {
          const first = newRun({ isolated, user_id: userId() })
          yield* runs.create(first)
          const replaced = Effect.andThen(
            sessions.remove([first.session_id], Owner.anyone),
            sessions.create(session({ session_id: first.session_id, user_id: userId() }))
          )
          const outcome = yield* during(replaced, runs.create({ ...first, run_id: runId(), component_data }))
          assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "SessionNotFound")
          assert.deepStrictEqual(yield* runsOf(first), [])
        }
      }
    }))

  it.effect("an id of a run is used once, and the session of the other run is not created", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const first = newRun()
      const second = { ...first, session_id: sessionId() }
      const outcome = yield* during(runs.create(first), runs.create(second))
      assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "RunExists")
      assert.isTrue(Option.isNone(yield* sessions.find(second.session_id, Owner.anyone)))
    }))

  it.effect("a run that is created while its session is removed creates it anew", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const first = newRun({ user_id: userId() })
      yield* runs.create(first)
      const next = { ...first, run_id: runId() }
      const outcome = yield* during(sessions.remove([first.session_id], Owner.anyone), runs.create(next))
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(yield* runsOf(first), [next.run_id])
    }))

  it.effect("a session is removed with a run that is created in it", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const first = newRun()
      yield* runs.create(first)
      const outcome = yield* during(
        runs.create({ ...first, run_id: runId() }),
        sessions.remove([first.session_id], Owner.anyone)
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.isUndefined(yield* runsOf(first))
    }))

  it.effect("a session is removed with a run that ends in it, and neither waits for the other", () =>
    Effect.gen(function*() {
      const [runs, sessions, sql] = [yield* RunStore, yield* SessionStore, yield* SqlClient.SqlClient]
      const begun = newRun()
      yield* runs.create(begun)
      const before = yield* rowsOf(begun)
      const outcome = yield* during(
        // a run that ends locks its own row first,
        sql`select from svc_runs where run_id = ${begun.run_id} for update`,
        sessions.remove([begun.session_id], Owner.anyone),
        // and then the row of its session, which must be free
        sql`select from svc_sessions where session_id = ${begun.session_id} for update nowait`.pipe(
          Effect.andThen(
            runs.finish(ending(begun, { events: events(begun, 2), run: { messages: talk("q", "a") } }))
          )
        )
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(yield* rowsOf(begun), { ...before, runs: 0 })
    }))

  it.effect("a run that ends while its session is removed leaves nothing", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = newRun()
      yield* runs.create(begun)
      const before = yield* rowsOf(begun)
      const outcome = yield* during(
        sessions.remove([begun.session_id], Owner.anyone),
        runs.finish(ending(begun, { events: events(begun, 2), run: { messages: talk("q", "a") } }))
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(yield* rowsOf(begun), { ...before, runs: 0 })
    }))

  it.effect("two runs that end in one session are both counted", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const first = newRun()
      const second = { ...first, run_id: runId() }
      yield* runs.create(first)
      yield* runs.create(second)
      const usage = { input_tokens: 2, cost: 0.1, details: { model: [{ id: "m", provider: "p", input_tokens: 2 }] } }
      yield* during(runs.finish(ending(first, { usage })), runs.finish(ending(second, { usage })))
      const stored = yield* Effect.fromOption(yield* sessions.find(first.session_id, Owner.anyone))
      assert.deepStrictEqual(stored.session_metrics, {
        input_tokens: 4,
        cost: 0.2,
        details: { model: [{ id: "m", provider: "p", input_tokens: 4 }] }
      })
    }))

  it.effect("a run is ended once when its end is sent twice", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = newRun()
      yield* runs.create(begun)
      const end = ending(begun, { usage: { input_tokens: 2 }, run: { messages: talk("q", "a") } })
      assert.deepInclude(yield* during(runs.finish(end), runs.finish(end)), { _tag: "Success", success: true })
      const stored = yield* Effect.fromOption(yield* sessions.find(begun.session_id, Owner.anyone))
      assert.deepStrictEqual(stored.session_metrics, { input_tokens: 2 })
    }))

  it.effect("a run does not wait for another run of its session to be created", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      const first = newRun()
      yield* runs.create(first)
      const [second, third] = [{ ...first, run_id: runId() }, { ...first, run_id: runId() }]
      const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* runs.create(second).pipe(
        Effect.andThen(Deferred.succeed(begun, undefined)),
        Effect.andThen(Deferred.await(released)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(begun)
      yield* runs.create(third)
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id, third.run_id])
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(holder)
      assert.deepStrictEqual(yield* runsOf(first), [first.run_id, second.run_id, third.run_id])
    }))

  it.effect("a run whose connection the server ends is created on another one, and refused when that ends as well", () =>
    Effect.gen(function*() {
      const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
      for (const isEndedTwice of [false, true]) {
        const first = newRun()
        const second = { ...first, run_id: runId() }
        const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* runs.create(first).pipe(
          Effect.andThen(Deferred.succeed(begun, undefined)),
          Effect.andThen(Deferred.await(released)),
          sql.withTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(begun)
        const other = yield* Effect.forkChild(Effect.result(runs.create(second)))
        yield* sql`select pg_terminate_backend(${yield* waiting}, 5000)`
        if (isEndedTwice) yield* sql`select pg_terminate_backend(${yield* waiting}, 5000)`
        else yield* waiting
        yield* Deferred.succeed(released, undefined)
        yield* Fiber.join(holder)
        const outcome = yield* Fiber.join(other)
        if (isEndedTwice) assert.strictEqual(outcome._tag === "Failure" && outcome.failure._tag, "StorageUnavailable")
        assert.deepStrictEqual(yield* runsOf(first), isEndedTwice ? [first.run_id] : [first.run_id, second.run_id])
      }
    }))

  it.effect("a run that is stored by a statement in progress whose reply is lost is accepted, not refused", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const accepted = (run: NewRun) =>
        Effect.gen(function*() {
          const outcome = yield* cutOff(runs.create(run))
          assert.strictEqual(outcome._tag === "Failure" ? outcome.failure._tag : "Success", "Success")
          assert.deepInclude(yield* rowsOf(run), { runs: 1 })
          yield* runs.finish(ending(run))
        })
      const first = newRun({ isSerialized: true })
      yield* accepted(first)
      for (const if_busy of ["queue", "reject", "interrupt"] as const) {
        yield* accepted({ ...first, run_id: runId(), if_busy })
      }
    }))

  it.effect("A refusal after a lost reply is no refusal, because the first statement may still store the run.", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const known = newRun({ isSerialized: true, user_id: userId() })
      yield* runs.create(known)
      const next = { ...known, run_id: runId() }
      const refused: Readonly<Record<string, NewRun>> = {
        SessionBusy: { ...next, if_busy: "reject" },
        SessionNotFound: { ...next, user_id: userId() },
        RunNotFound: { ...next, place: { known: [{ run_id: runId() }], otherwise: "notFound" } },
        ComponentOutdated: { ...next, assumes: [{ id: Component.Id.make(runId()), name: "A", current: null }] },
        LimitReached: {
          ...next,
          limited: StartLimits.of({ user: { runsAtOnce: 1 }, whenExceeded: "refuse" }, next, undefined)
        },
        RunExists: known
      }
      for (const [tag, run] of Object.entries(refused)) {
        const outcomes = [yield* Effect.flip(runs.create(run)), yield* Effect.flip(losingFirst(runs.create(run)))]
        const lost = tag === "RunExists" ? tag : "StorageUnavailable"
        assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag), [tag, lost])
      }
    }))
})
