// What happens when two statements about sessions meet in the database.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, newRun, runId, session, sessionId, talk, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ShortStatements } from "../src/ShortStatements.ts"
import { during } from "./during.ts"
import { Stores } from "./Stores.ts"

// Statements that have connections of their own would not be part of the transactions that hold them up here.
const Database = Stores.pipe(
  Layer.provide(Layer.succeed(ShortStatements, undefined)),
  Layer.provideMerge(PostgresLayer.layer)
)

const lock = (id: Session.Id) =>
  SqlClient.SqlClient.use((sql) => sql`select from svc_sessions where session_id = ${id} for no key update`)

/** The rows are found in the order in which they were stored. */
const withoutIndexes = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(Effect.andThen(
      Effect.all([sql`set local enable_indexscan = off`, sql`set local enable_bitmapscan = off`], { discard: true }),
      effect
    ))
  )

layer(Database, { excludeTestServices: true })("Statements about sessions that meet", (it) => {
  it.effect("sessions are locked in the order of their ids, so that a removal and an erasure at once do not deadlock", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const user_id = userId()
      const calls = {
        remove: (ids: ReadonlyArray<Session.Id>): Effect.Effect<unknown, StorageUnavailable> =>
          sessions.remove(ids, Owner.anyone),
        removeSummaries: (_: ReadonlyArray<Session.Id>) => sessions.removeSummaries(user_id)
      }
      for (const [name, call] of Object.entries(calls)) {
        const prefix = sessionId()
        const [first, last] = [Session.Id.make(`${prefix}-a`), Session.Id.make(`${prefix}-b`)]
        for (const session_id of [last, first]) {
          yield* sessions.create(session({ session_id, user_id, summary: { summary: "Tea." } }))
        }
        const outcome = yield* during(lock(first), withoutIndexes(call([first, last])), lock(last))
        assert.strictEqual(outcome._tag, "Success", name)
      }
    }))

  it.effect("a summary that is stored while those of its user are removed is removed too, or not stored", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      for (const isFirst of [true, false]) {
        const user_id = userId()
        const begun = newRun({ user_id })
        yield* runs.create(begun)
        yield* runs.finish(ending(begun, { run: { messages: talk("Tea?", "Yes") } }))
        const { session_id } = begun
        const from = yield* Effect.flatMap(
          sessions.unsummarized(session_id, { runs: 1, bytes: 1 }),
          Effect.fromOption
        )
        const storing = sessions.summarize({ ...from, session_id, at: 1, summary: { summary: "Tea." } })
        const removing = sessions.removeSummaries(user_id)
        const outcome = yield* (isFirst ? during(storing, removing) : during(removing, storing))
        assert.strictEqual(outcome._tag, "Success")
        assert.isTrue(Option.isNone(yield* sessions.findSummary(session_id, runId())))
      }
    }))

  it.effect("a copy of a session that is made while the summaries of its user are removed has none", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      for (const isFirst of [true, false]) {
        const user_id = userId()
        const begun = newRun({ user_id })
        yield* runs.create(begun)
        yield* runs.finish(ending(begun))
        const { session_id: source } = begun
        yield* sessions.update(source, Owner.anyone, { summary: { summary: "Tea." }, updated_at: 1 })
        const copy = sessionId()
        const forking = runs.fork({ source, session_id: copy, filter: { owner: Owner.anyone }, created_at: 1 })
        const removing = sessions.removeSummaries(user_id)
        const outcome = yield* (isFirst ? during(forking, removing) : during(removing, forking))
        assert.strictEqual(outcome._tag, "Success")
        assert.isTrue(Option.isSome(yield* sessions.find(copy, Owner.anyone)))
        assert.isTrue(Option.isNone(yield* sessions.findSummary(copy, runId())), String(isFirst))
      }
    }))
})
