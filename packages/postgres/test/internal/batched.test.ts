// What happens to calls whose statement has failed for all of them.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { SqlError } from "effect/sql"
import * as Batched from "../../src/sql/Batched.ts"

const failure = (reason: SqlError.SqlErrorReason) => new SqlError.SqlError({ reason })
const cause = new Error("reported by the database")

/** Three calls, of which the last two are one statement, which stores them and then fails. */
const failing = Effect.fnUntraced(function*(
  error: SqlError.SqlError,
  stored?: ReadonlyMap<number, number>
) {
  const gate = yield* Deferred.make<void>()
  const statements: Array<ReadonlyArray<number>> = []
  const alone: Array<number> = []
  const call = Batched.make({
    together: (items: ReadonlyArray<number>) => {
      statements.push(items)
      if (items.includes(0)) return Effect.as(Deferred.await(gate), items)
      return items.length > 1 ? Effect.fail(error) : Effect.succeed(items)
    },
    alone: (item) => Effect.sync(() => (alone.push(item), item)),
    found: stored === undefined ? undefined : (items) => Effect.succeed(items.map((item) => stored.get(item))),
    bytesOf: () => 1
  })
  const first = yield* Effect.forkChild(call(0), { startImmediately: true })
  const others = yield* Effect.forEach([1, 2], (item) => Effect.forkChild(call(item), { startImmediately: true }))
  yield* Deferred.succeed(gate, undefined)
  yield* Fiber.join(first)
  const results = yield* Effect.forEach(others, (fiber) => Effect.result(Fiber.join(fiber)))
  return { alone, statements, results }
})

const numbers = (results: ReadonlyArray<Result.Result<number, unknown>>) => results.map(Result.getOrUndefined)

describe("calls that share a statement which fails", () => {
  it.effect("shared calls are repeated one by one, so that none fails for another's reason", () =>
    Effect.gen(function*() {
      const error = failure(new SqlError.UniqueViolation({ cause, constraint: "k" }))
      const { alone, results, statements } = yield* failing(error)
      assert.deepStrictEqual(statements, [[0], [1, 2]])
      assert.deepStrictEqual(alone, [1, 2])
      assert.deepStrictEqual(numbers(results), [1, 2])
    }))

  it.effect("shared calls are looked up when the connection is lost, and calls that are not stored are repeated alone", () =>
    Effect.gen(function*() {
      const error = failure(new SqlError.ConnectionError({ cause }))
      const { alone, results } = yield* failing(error, new Map([[1, 11]]))
      assert.deepStrictEqual(alone, [2])
      assert.deepStrictEqual(numbers(results), [11, 2])
    }))

  it.effect("shared calls are repeated at once when the database has undone the statement, whatever is stored", () =>
    Effect.gen(function*() {
      for (const Undone of [SqlError.LockTimeoutError, SqlError.StatementTimeoutError]) {
        const { alone } = yield* failing(failure(new Undone({ cause })), new Map([[1, 11]]))
        assert.deepStrictEqual(alone, [1, 2])
      }
    }))
})

/** Calls that come during a first call. */
const sharing = Effect.fnUntraced(function*<A>(
  first: A,
  others: ReadonlyArray<A>,
  options: Pick<Batched.Options<A, A, never>, "bytesOf" | "groupOf" | "maxBytes">
) {
  const gate = yield* Deferred.make<void>()
  const statements: Array<ReadonlyArray<A>> = []
  const alone: Array<A> = []
  const call = Batched.make<A, A, never>({
    together: (items) => {
      statements.push(items)
      return items.includes(first) ? Effect.as(Deferred.await(gate), items) : Effect.succeed(items)
    },
    alone: (item) => Effect.sync(() => (alone.push(item), item)),
    ...options
  })
  const fibers = yield* Effect.forEach(
    [first, ...others],
    (item) => Effect.forkChild(call(item), { startImmediately: true })
  )
  return {
    alone,
    statements,
    end: Effect.andThen(Deferred.succeed(gate, undefined), Effect.forEach(fibers, Fiber.join))
  }
})

describe("calls that share statements", () => {
  it.effect("no more calls share a statement than fit into it", () =>
    Effect.gen(function*() {
      const { end, statements } = yield* sharing(1, [2, 3, 4, 5], { bytesOf: (item) => item, maxBytes: 6 })
      assert.deepStrictEqual(yield* end, [1, 2, 3, 4, 5])
      assert.deepStrictEqual(statements, [[1], [2, 3], [4], [5]])
    }))

  it.effect("heavy calls are sent alone, and wait for no others", () =>
    Effect.gen(function*() {
      const { alone, end, statements } = yield* sharing(1, [Batched.heavyBytes + 1, 2], { bytesOf: (item) => item })
      assert.deepStrictEqual(alone, [Batched.heavyBytes + 1])
      yield* end
      assert.deepStrictEqual(statements, [[1], [2]])
    }))

  it.effect("calls of one group are in different statements", () =>
    Effect.gen(function*() {
      const { end, statements } = yield* sharing("x0", ["a1", "b1", "a2", "b2", "a3"], {
        bytesOf: () => 1,
        groupOf: (item) => item.slice(0, 1)
      })
      assert.deepStrictEqual(yield* end, ["x0", "a1", "b1", "a2", "b2", "a3"])
      assert.deepStrictEqual(statements, [["x0"], ["a1", "b1"], ["a2", "b2"], ["a3"]])
    }))

  it.effect("calls do not wait for a statement that takes long", () =>
    Effect.gen(function*() {
      const { end, statements } = yield* sharing(1, [2, 3], { bytesOf: () => 1 })
      assert.deepStrictEqual(statements, [[1]])
      // the limit is a timer of the process, not of the test's clock
      while (statements.length === 1) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(statements, [[1], [2, 3]])
      yield* end
    }))
})
