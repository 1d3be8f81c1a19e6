// A statement that reaches the database late, as those do that a frozen database gets when it is back.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { Statement } from "effect/sql"
import { Stores } from "./Stores.ts"

/** Every statement reaches the database an hour later, by its clock. */
const anHourLater = <A, E, R>(effect: Effect.Effect<A, E, R>, onStatement: () => void) => {
  const later: Statement.Transformer = (statement, sql) =>
    Effect.sync(() => {
      onStatement()
      const [text, parameters] = statement.compile()
      const clock = "(statement_timestamp() + interval '1 hour')"
      return sql.unsafe(text.replaceAll("statement_timestamp()", clock), parameters)
    })
  return Effect.provideService(effect, Statement.CurrentTransformer, later)
}

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))("A run that reaches the database late", (it) => {
  it.effect("A run whose caller was refused is not stored, and neither is its session.", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      yield* runs.create(newRun())
      const late = newRun()
      let isSent = false
      const created = runs.create({ ...late, isCallerRefused: () => isSent })
      const error = yield* Effect.flip(anHourLater(created, () => (isSent = true)))
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.isTrue(isSent)
      assert.isTrue(Option.isNone(yield* sessions.find(late.session_id, Owner.anyone)))
      assert.isTrue(Option.isNone(yield* runs.find(late.session_id, late.run_id, { owner: Owner.anyone })))
    }))

  it.effect("A run that comes late into a session cancels no run there when its caller was refused.", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const before = newRun({ node: "holder" })
      yield* runs.create(before)
      let isSent = false
      const late = newRun({ session_id: before.session_id, if_busy: "interrupt", isSerialized: true })
      yield* Effect.flip(
        anHourLater(runs.create({ ...late, isCallerRefused: () => isSent }), () => (isSent = true))
      )
      assert.deepStrictEqual(yield* runs.cancelRequested("holder"), [])
    }))

  it.effect("A run whose caller still waits is stored by the next statement, whose time is that of the database.", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      yield* runs.create(newRun())
      const late = newRun()
      let statements = 0
      assert.isFalse((yield* anHourLater(runs.create(late), () => statements++)).isQueued)
      assert.strictEqual(statements, 2)
      const found = yield* runs.find(late.session_id, late.run_id, { owner: Owner.anyone })
      assert.strictEqual(Option.getOrThrow(found).status, "RUNNING")
      yield* runs.create(newRun())
    }))

  const pausedRun = Effect.gen(function*() {
    const runs = yield* RunStore
    const begun = newRun()
    yield* runs.create(begun)
    yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
    return { ...begun, resumption: { run_id: begun.run_id, attempt: 1, node: "other", entry: { decision: "yes" } } }
  })

  it.effect("A run whose continue was refused stays paused, without the decision.", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { resumption, run_id, session_id } = yield* pausedRun
      let isSent = false
      const resumed = runs.resume({ ...resumption, isCallerRefused: () => isSent })
      const error = yield* Effect.flip(anHourLater(resumed, () => (isSent = true)))
      assert.strictEqual(error._tag, "StorageUnavailable")
      const snapshot = Option.getOrThrow(yield* runs.snapshot(session_id, run_id, { owner: Owner.anyone }))
      assert.strictEqual(snapshot.status, "PAUSED")
      assert.deepStrictEqual(snapshot.entries, [])
    }))

  it.effect("A run whose continue still waits is resumed by the next statement.", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const { resumption } = yield* pausedRun
      let statements = 0
      const held = yield* anHourLater(runs.resume(resumption), () => statements++)
      assert.deepStrictEqual(held, Option.some(2))
      assert.strictEqual(statements, 2)
      yield* runs.create(newRun())
    }))
})
