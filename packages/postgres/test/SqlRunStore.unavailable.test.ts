// What happens to what a database says no with.
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { ending, newRun, presence, runId, session, sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Cause, Effect, Layer, Logger, Ref, Schema } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import * as ShortStatements from "../src/ShortStatements.ts"
import { orUnavailable, readOrUnavailable } from "../src/sql/orUnavailable.ts"
import * as SqlRunStore from "../src/SqlRunStore.ts"
import * as SqlSessionStore from "../src/SqlSessionStore.ts"

const withCode = (code: string) => Object.assign(new Error("reported by the database"), { code })
const sqlError = (reason: SqlError.SqlErrorReason) => new SqlError.SqlError({ reason })
const unknown = (cause: unknown) => sqlError(new SqlError.UnknownError({ cause }))
const reason = { cause: new Error("reported by the database") }

const silent = {
  "a lost connection": sqlError(new SqlError.ConnectionError(reason)),
  "a refused login": sqlError(new SqlError.AuthenticationError(reason)),
  "a statement that took too long": sqlError(new SqlError.StatementTimeoutError(reason)),
  "a lock that was not to be had": sqlError(new SqlError.LockTimeoutError(reason)),
  "too many connections": unknown(withCode("53300")),
  "a full disk": unknown(withCode("53100")),
  "a server that shuts down": unknown(withCode("57P01")),
  "a server that starts up": unknown(withCode("57P03")),
  "a broken disk": unknown(withCode("58030")),
  "a standby server": unknown(withCode("25006")),
  "a database that accepts no connections": unknown(
    Object.assign(new Error("database \"svc\" is not currently accepting connections"), { code: "55000" })
  ),
  "a database that is gone": unknown(withCode("3D000"))
}

const rejected = {
  "a statement that is wrong": sqlError(new SqlError.SqlSyntaxError(reason)),
  "a table that is not ours": sqlError(new SqlError.AuthorizationError(reason)),
  "a value that breaks a rule": sqlError(new SqlError.ConstraintError(reason)),
  "a key that is taken and that no port speaks of": sqlError(
    new SqlError.UniqueViolation({ ...reason, constraint: "k" })
  ),
  "a value that cannot be stored": unknown(withCode("22021")),
  "a table that is missing": sqlError(new SqlError.SqlSyntaxError({ cause: withCode("42P01") })),
  "a column that another version has": sqlError(new SqlError.SqlSyntaxError({ cause: withCode("42703") })),
  "a state that a statement needs": unknown(withCode("55000")),
  "an error inside of the database": unknown(withCode("XX000")),
  "anything else": unknown(new Error("no code")),
  "a row that does not decode": Effect.runSync(Effect.flip(Schema.decodeUnknownEffect(Schema.String)(1))),
  "a row that is missing": new Cause.NoSuchElementError()
}

describe("A database that does not reply", () => {
  it.effect.each(Object.entries(silent))("a silent database is unavailable: %s", ([, error]) =>
    Effect.gen(function*() {
      const unavailable = yield* Effect.flip(orUnavailable(Effect.fail(error)))
      assert.strictEqual(unavailable._tag, "StorageUnavailable")
      assert.strictEqual(unavailable.cause, error)
      assert.isUndefined(unavailable.isRejected)
    }))

  it.effect.each(Object.entries(rejected))(
    "a failure that no port declares is a rejected statement: %s",
    ([, error]) =>
      Effect.gen(function*() {
        const unavailable = yield* Effect.flip(orUnavailable(Effect.fail(error)))
        assert.deepInclude(unavailable, { _tag: "StorageUnavailable", isRejected: true })
        assert.strictEqual(unavailable.cause, error)
      })
  )

  it.effect("a rejected statement is logged with its SQLSTATE, its run and its session, once in ten seconds", () =>
    Effect.gen(function*() {
      const logs: Array<Readonly<Record<string, unknown>>> = []
      const logger = Logger.layer([
        Logger.map(Logger.formatStructured, (line) => void logs.push({ message: line.message, ...line.annotations }))
      ])
      const failing = Effect.fail(sqlError(new SqlError.SqlSyntaxError({ cause: withCode("42P01") })))
      const begun = newRun()
      const call = Effect.ignore(orUnavailable(failing, begun)).pipe(Effect.provide(logger))
      yield* Effect.repeat(call, { times: 5 })
      const line = {
        message: "The database rejected a statement: reported by the database",
        part: "database",
        sqlstate: "42P01",
        run_id: begun.run_id,
        session_id: begun.session_id
      }
      assert.deepStrictEqual(logs, [line])
      yield* TestClock.adjust("10 seconds")
      yield* call
      assert.deepStrictEqual(logs, [line, line])
    }))

  it.effect("the same rejected statement is logged once for each database, with the id of the database", () =>
    Effect.gen(function*() {
      const databases: Array<unknown> = []
      const logger = Logger.layer([
        Logger.map(Logger.formatStructured, (line) => void databases.push(line.annotations["database"]))
      ])
      const failing = Effect.fail(sqlError(new SqlError.SqlSyntaxError({ cause: withCode("42P02") })))
      const call = Effect.ignore(orUnavailable(failing))
      for (const id of ["first", "second", "first"]) {
        yield* Effect.provideService(call, CurrentDatabase, Ids.DatabaseId.make(id)).pipe(Effect.provide(logger))
      }
      assert.deepStrictEqual(databases, ["first", "second"])
    }))

  it.effect("a statement whose prepared form the connection has lost is sent again, because it was not executed", () =>
    Effect.gen(function*() {
      for (const code of ["26000", "0A000"]) {
        let attempts = 0
        const lost = Effect.suspend(() =>
          ++attempts > 1 ? Effect.succeed(attempts) : Effect.fail(unknown(withCode(code)))
        )
        assert.strictEqual(yield* orUnavailable(lost), 2)
      }
    }))

  it.effect("the errors of a port are not changed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Effect.flip(orUnavailable(Effect.fail("its own" as const))), "its own")
    }))

  for (const Conflict of [SqlError.DeadlockError, SqlError.SerializationError]) {
    it.effect(`a statement is repeated after a ${Conflict.name}, which has undone everything, and not for ever`, () =>
      Effect.gen(function*() {
        const conflict = sqlError(new Conflict(reason))
        const attempts = yield* Ref.make(0)
        const failUntil = (last: number) =>
          Ref.updateAndGet(attempts, (n) => n + 1).pipe(
            Effect.flatMap((attempt) => attempt < last ? Effect.fail(conflict) : Effect.succeed(attempt))
          )
        assert.strictEqual(yield* orUnavailable(failUntil(3)), 3)
        const unavailable = yield* Effect.flip(orUnavailable(failUntil(Number.POSITIVE_INFINITY)))
        assert.strictEqual(unavailable._tag, "StorageUnavailable")
        assert.strictEqual(yield* Ref.get(attempts), 3 + 4)
      }))
  }

  describe("because the connection to it broke", () => {
    const broken = [silent["a lost connection"], silent["a server that shuts down"]]
    const failing = (error: SqlError.SqlError, times: number) => {
      let attempts = 0
      return Effect.suspend(() => ++attempts > times ? Effect.succeed(attempts) : Effect.fail(error))
    }

    it.effect("a read is repeated on another connection, and not forever", () =>
      Effect.gen(function*() {
        for (const error of broken) {
          assert.strictEqual(yield* readOrUnavailable(failing(error, 1)), 2)
          const unavailable = yield* Effect.flip(readOrUnavailable(failing(error, 2)))
          assert.strictEqual(unavailable._tag, "StorageUnavailable")
        }
      }))

    it.effect("a change is not repeated, because it may have been executed", () =>
      Effect.gen(function*() {
        for (const error of broken) {
          assert.strictEqual((yield* Effect.flip(orUnavailable(failing(error, 1))))._tag, "StorageUnavailable")
        }
      }))

    it.effect("a statement that took too long is not repeated", () =>
      Effect.gen(function*() {
        const slow = failing(silent["a statement that took too long"], 1)
        assert.strictEqual((yield* Effect.flip(readOrUnavailable(slow)))._tag, "StorageUnavailable")
      }))
  })

  it.effect("every method of the stores fails with StorageUnavailable when no database listens", () =>
    Effect.gen(function*() {
      const [runs, sessions] = [yield* RunStore, yield* SessionStore]
      const [begun, id] = [newRun(), sessionId()]
      const methods: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        runs.create(begun),
        runs.finish(ending(begun)),
        runs.find(id, runId(), { owner: Owner.anyone }),
        runs.list(id, { owner: Owner.anyone }),
        runs.record({ run_id: begun.run_id, attempt: 1, position: 0, entry: {}, events: [] }),
        runs.snapshot(id, runId(), { owner: Owner.anyone }),
        runs.resume({ run_id: begun.run_id, attempt: 1, node: "node", entry: undefined }),
        runs.takeOver({ node: "node", isStarting: true, limit: 1 }),
        runs.load({ run_id: begun.run_id, attempt: 1 }),
        runs.heartbeat(presence("node")),
        runs.release("node"),
        sessions.find(id, Owner.anyone),
        sessions.getConversation(id, Owner.anyone),
        sessions.list({ owner: Owner.anyone }, { page: 1, limit: 1 }, { by: "created_at", order: "desc" }),
        sessions.create(session()),
        sessions.update(id, Owner.anyone, { updated_at: 1 }),
        sessions.remove([id], Owner.anyone)
      ]
      for (const method of methods) assert.strictEqual((yield* Effect.flip(method))._tag, "StorageUnavailable")
    }).pipe(
      Effect.provide(Layer.mergeAll(SqlSessionStore.layer, SqlRunStore.layer)),
      Effect.provide([ShortStatements.layerNone, StoreLimits.layerWith()]),
      // no server has this port
      Effect.provide(PgClient.layer({ host: "127.0.0.1", port: 1, username: "unknown" }))
    ))
})
