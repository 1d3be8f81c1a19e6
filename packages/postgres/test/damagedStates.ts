// A stored session state that is no JSON object: runs start with an empty state, and the stored one stays as it is.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { ending, newId, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"

const damages = [
  ["an array", "[]"],
  ["a number", "3"],
  ["a text", "\"text\""],
  ["null", "null"],
  ["deep arrays", "[".repeat(3000) + "]".repeat(3000)]
] as const

/** The errors that an effect logs, by the run and the session that they name. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const errors: Array<Readonly<Record<string, unknown>>> = []
    const logger = Logger.make(({ fiber, logLevel }) => {
      if (logLevel === "Error") errors.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
    })
    return Effect.map(Effect.provide(effect, Logger.layer([logger])), (result) => ({ result, errors }))
  })

const damaged = Effect.fnUntraced(function*(state: string) {
  const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
  const node = newId("node")
  const before = newRun({ node, isSerialized: true })
  yield* runs.create(before)
  const { session_id } = before
  const waiting = newRun({ node, session_id, isSerialized: true })
  yield* runs.create(waiting)
  yield* sql`update svc_sessions set session_state = ${state}::json where session_id = ${session_id}`
  const stored = Effect.map(
    sql<{ readonly state: string }>`
      select session_state::text as state from svc_sessions where session_id = ${session_id}`,
    ([row]) => row?.state
  )
  return { before, waiting, node, session_id, stored }
})

export const damagedStates = <E>(
  name: string,
  stores: Layer.Layer<RunStore | SessionStore | SqlClient.SqlClient, E>
) =>
  layer(stores, { excludeTestServices: true })(
    `A session state over ${name} that is no object`,
    (it) => {
      it.effect.each(damages)(
        "a new run in a session whose state is %s starts with an empty state, and one error names run and session",
        ([, state]) =>
          Effect.gen(function*() {
            const runs = yield* RunStore
            const { session_id } = yield* damaged(state)
            const next = newRun({ session_id, history: 3 })
            const { errors, result } = yield* logged(runs.create(next))
            assert.deepStrictEqual(result.session_state, {})
            assert.deepStrictEqual(errors, [{ run_id: next.run_id, session_id }])
          })
      )

      it.effect.each(damages)("a run that ends in a session whose state is %s does not overwrite it", ([, state]) =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const { before, stored } = yield* damaged(state)
          const state_changes = { set: { key: "value" }, removed: [] }
          assert.isTrue(yield* runs.finish({ ...ending(before), state_changes }))
          assert.strictEqual(yield* stored, state)
        }))

      it.effect("a queued run, a run that is read and a run that is taken over have an empty state", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const { before, node, session_id, waiting } = yield* damaged("[]")
          yield* runs.finish(ending(before, { run: { status: "PAUSED" } }))
          const found = yield* runs.snapshot(session_id, before.run_id, { owner: Owner.anyone })
          assert.deepStrictEqual(found._tag === "Some" ? found.value.session_state : undefined, {})
          const [turn] = yield* runs.dequeue({ node, sessions: [session_id], uncertain: [] })
          assert.deepStrictEqual(turn, { run_id: waiting.run_id, session_state: {}, history: [] })
          const taken = yield* runs.takeOver({ node, isStarting: true, limit: 100 })
          const { attempt, run_id } = taken.find(({ run_id }) =>
            run_id === waiting.run_id
          )!
          const loaded = yield* runs.load({ run_id, attempt })
          assert.deepStrictEqual(loaded._tag === "Some" ? loaded.value.session_state : undefined, {})
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

      it.effect("a state that replaces a damaged one is shown to the next run", () =>
        Effect.gen(function*() {
          const [runs, sessions] = [yield* RunStore, yield* SessionStore]
          const { session_id } = yield* damaged("[]")
          yield* sessions.update(session_id, Owner.anyone, { session_state: { key: "value" }, updated_at: 9 })
          assert.deepStrictEqual((yield* runs.create(newRun({ session_id }))).session_state, { key: "value" })
        }))
    }
  )
