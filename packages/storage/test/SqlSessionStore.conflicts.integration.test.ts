// What happens when two statements about sessions meet in the database.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import * as Session from "@svc/domain/Session"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { session, sessionId, userId } from "@svc/testing/suites/Samples"
import { Effect, Layer } from "effect"
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
})
