// A stored message that does not decode, in the history of later runs: they are accepted without it.
import { assert, layer } from "@effect/vitest"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { ending, message, newId, newRun, presence } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"

const damages = ["'3'", `'"text"'`, "'[]'", "'null'", "'{}'", "(repeat('[', 3000) || repeat(']', 3000))::json"]

const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: "{}" } }) as const

/** A completed run with a tool call, and the statement that damages the message at one position. */
const completedRun = Effect.gen(function*() {
  const runs = yield* RunStore
  const sql = yield* SqlClient.SqlClient
  const begun = newRun()
  const messages = [
    message("user", "What is there?"),
    message("assistant", "I look.", { tool_calls: [call("call-1")] }),
    message("tool", "A tree", { tool_call_id: "call-1", tool_name: "look" }),
    message("assistant", "A tree.")
  ]
  yield* runs.create(begun)
  yield* runs.finish(ending(begun, { run: { messages } }))
  const damage = (position: number, body: string) =>
    sql.unsafe(
      `update svc_messages set body = ${body}
      where position = ${position} and run_seq = (select seq from svc_runs where run_id = $1)`,
      [begun.run_id]
    )
  return { ...begun, damage }
})

const contents = (history: ReadonlyArray<{ readonly content?: string }>) => history.map(({ content }) => content)

/** The errors that an effect logs, with their annotations. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const errors: Array<Readonly<Record<string, unknown>>> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      if (logLevel !== "Error") return
      errors.push({ message: String(message), ...fiber.getRef(References.CurrentLogAnnotations) })
    })
    return Effect.map(Effect.provide(effect, Logger.layer([logger])), (result) => ({ result, errors }))
  })

export const damagedHistory = <E>(name: string, stores: Layer.Layer<RunStore | SqlClient.SqlClient, E>) =>
  layer(stores, { excludeTestServices: true })(
    `A history over ${name} with a damaged message`,
    (it) => {
      it.effect("a new run gets the history without the damaged message, and the log names the run and the session", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          for (const body of damages) {
            const { damage, session_id } = yield* completedRun
            yield* damage(1, body)
            const next = newRun({ session_id, history: 3 })
            const { errors, result } = yield* logged(runs.create(next))
            assert.deepStrictEqual(contents(result.history), ["I look.", "A tree", "A tree."], body)
            assert.deepStrictEqual(errors.map(({ run_id, session_id }) => ({ run_id, session_id })), [
              { run_id: next.run_id, session_id }
            ])
            assert.include(errors[0]?.["message"], "cannot be read")
          }
        }))

      it.effect("a history has neither a tool call without its result nor a result without its call", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const lostCall = yield* completedRun
          yield* lostCall.damage(2, "'3'")
          const first = yield* runs.create(newRun({ session_id: lostCall.session_id, history: 3 }))
          assert.deepStrictEqual(contents(first.history), ["What is there?", "A tree."])
          const lostResult = yield* completedRun
          yield* lostResult.damage(3, "'3'")
          const { history } = yield* runs.create(newRun({ session_id: lostResult.session_id, history: 3 }))
          assert.deepStrictEqual(contents(history), ["What is there?", "I look.", "A tree."])
          assert.isUndefined(history[1]?.tool_calls)
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

      it.effect("no run fails that is created together with the one that gets the history", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const { damage, session_id } = yield* completedRun
          yield* damage(1, "'3'")
          const all = [newRun({ session_id, history: 3 }), ...Array.from({ length: 8 }, () => newRun())]
          const accepted = yield* Effect.forEach(all, runs.create, { concurrency: "unbounded" })
          assert.strictEqual(accepted.length, all.length)
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

      it.effect("a damaged message is left out of a history that is too large for the shared statement", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const { damage, session_id } = yield* completedRun
          yield* damage(1, "json_build_array(repeat('x', 100000))")
          const large = newRun({ session_id })
          yield* runs.create(large)
          const pieces = Array.from({ length: 8 }, () => message("user", "x".repeat(20_000)))
          yield* runs.finish(ending(large, { run: { messages: pieces } }))
          const { history } = yield* runs.create(newRun({ session_id, history: 3 }))
          assert.strictEqual(history.length, 3 + pieces.length)
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

      it.effect("a queued run, a run that is taken over and a continued run get the history without the damaged message", () =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const { damage, session_id } = yield* completedRun
          const node = newId("node")
          const [first, second] = [
            newRun({ session_id, node, isSerialized: true, history: 3 }),
            newRun({ session_id, node, isSerialized: true, history: 3 })
          ]
          yield* runs.create(first)
          assert.isTrue((yield* runs.create(second)).isQueued)
          yield* damage(1, "'3'")
          yield* runs.finish(ending(first, { run: { status: "PAUSED" } }))
          const stored = yield* runs.snapshot(session_id, first.run_id, { owner: { _tag: "Anyone" } })
          assert.deepStrictEqual(contents(stored._tag === "Some" ? stored.value.history : []), [
            "I look.",
            "A tree",
            "A tree."
          ])
          const [turn] = yield* runs.dequeue({ node, sessions: [session_id], uncertain: [] })
          assert.strictEqual(turn?.run_id, second.run_id)
          assert.strictEqual(turn?.history.length, 3)
          const other = newId("node")
          yield* runs.heartbeat(presence(other))
          const taken = yield* runs.takeOver({
            node: other,
            isStarting: false,
            isSteady: true,
            dead: [{ node, seenAt: null }],
            limit: 100
          })
          const acquired = taken.find(({ run_id }) => run_id === second.run_id)
          const loaded = yield* runs.load({ run_id: second.run_id, attempt: acquired?.attempt ?? 0 })
          assert.strictEqual(loaded._tag === "Some" ? loaded.value.history.length : undefined, 3)
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
    }
  )
