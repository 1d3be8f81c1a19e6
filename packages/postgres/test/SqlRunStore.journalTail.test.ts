// A journal whose last entries were lost: the events that were stored with them say how many there were.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { ending, events, newRun } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Stores } from "./Stores.ts"

/** A run with three journal entries and an event of each. */
const recorded = Effect.gen(function*() {
  const runs = yield* RunStore
  const begun = newRun()
  const { run_id } = begun
  yield* runs.create(begun)
  const happened = events(begun, 3)
  for (const [position, event] of happened.slice(0, 3).entries()) {
    yield* runs.record({ run_id, attempt: 1, position, entry: { position }, events: [event] })
  }
  return begun
})

const loseTail = ({ run_id }: Effect.Success<typeof recorded>, from: number) =>
  SqlClient.SqlClient.use((sql) =>
    sql`
      delete from svc_run_journal
      where position >= ${from} and run_seq = (select seq from svc_runs where run_id = ${run_id})`
  )

layer(Stores.pipe(Layer.provideMerge(PgliteLayer.layer)), { excludeTestServices: true })(
  "a journal",
  (it) => {
    it.effect.each([0, 2])(
      "a run whose journal entries from %i on were lost is not loaded, before any takeover",
      (from) =>
        Effect.gen(function*() {
          const runs = yield* RunStore
          const begun = yield* recorded
          const held = { run_id: begun.run_id, attempt: 1 }
          assert.isTrue(Option.isSome(yield* runs.load(held)))
          yield* loseTail(begun, from)
          const error = yield* Effect.flip(runs.load(held))
          assert.include(error.message, "entries of its journal are missing")
        })
    )

    it.effect("a paused run whose last journal entry was lost is read with its damage", () =>
      Effect.gen(function*() {
        const runs = yield* RunStore
        const begun = yield* recorded
        const { run_id, session_id } = begun
        yield* runs.finish(ending(begun, { run: { status: "PAUSED" } }))
        const read = Effect.flatMap(runs.snapshot(session_id, run_id, { owner: Owner.anyone }), Effect.fromOption)
        assert.isUndefined((yield* read).damage)
        yield* loseTail(begun, 2)
        assert.include((yield* read).damage, "entries of its journal are missing")
      }))

    it.effect("a run whose events have no count of entries is loaded", () =>
      Effect.gen(function*() {
        const [runs, sql] = [yield* RunStore, yield* SqlClient.SqlClient]
        const begun = yield* recorded
        yield* sql`update svc_run_events set journal_entries = null`
        assert.isTrue(Option.isSome(yield* runs.load({ run_id: begun.run_id, attempt: 1 })))
      }))
  }
)
