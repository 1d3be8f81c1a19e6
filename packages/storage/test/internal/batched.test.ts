// What becomes of calls whose statement has failed for all of them.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlError } from "effect/sql"
import * as Batched from "../../src/internal/batched.ts"

const failure = (reason: SqlError.SqlErrorReason) => new SqlError.SqlError({ reason })
const cause = new Error("said the database")

/** Three calls, of which the last two are one statement, which stores them and then fails. */
const failing = Effect.fnUntraced(function*(error: SqlError.SqlError) {
  const gate = yield* Deferred.make<void>()
  const statements: Array<ReadonlyArray<number>> = []
  const call = Batched.make({
    all: (items: ReadonlyArray<number>) => {
      statements.push(items)
      if (items.includes(0)) return Effect.as(Deferred.await(gate), items)
      return items.length > 1 ? Effect.fail(error) : Effect.succeed(items)
    },
    most: 10
  })
  const first = yield* Effect.forkChild(call(0), { startImmediately: true })
  const others = yield* Effect.forEach([1, 2], (item) => Effect.forkChild(call(item), { startImmediately: true }))
  yield* Deferred.succeed(gate, undefined)
  yield* Fiber.join(first)
  const results = yield* Effect.forEach(others, (fiber) => Effect.result(Fiber.join(fiber)))
  return { statements, results }
})

describe("calls that share a statement which fails", () => {
  it.effect("are made again one by one, so that none fails for another's reason", () =>
    Effect.gen(function*() {
      const error = failure(new SqlError.UniqueViolation({ cause, constraint: "k" }))
      const { results, statements } = yield* failing(error)
      assert.deepStrictEqual(statements, [[0], [1, 2], [1], [2]])
      assert.deepStrictEqual(results.map(({ _tag }) => _tag), ["Success", "Success"])
    }))

  it.effect("are not made again when the connection is lost: it may have stored all of them", () =>
    Effect.gen(function*() {
      const error = failure(new SqlError.ConnectionError({ cause }))
      const { results, statements } = yield* failing(error)
      assert.deepStrictEqual(statements, [[0], [1, 2]])
      assert.deepStrictEqual(results.map((result) => result._tag === "Failure" && result.failure), [error, error])
    }))
})
