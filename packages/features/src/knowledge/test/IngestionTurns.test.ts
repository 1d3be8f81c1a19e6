import { assert, it } from "@effect/vitest"
import { Effect, Exit, Latch, Scope } from "effect"
import * as IngestionTurns from "../IngestionTurns.ts"

/** Which jobs have what they asked for. */
const jobs = Effect.gen(function*() {
  const turns = IngestionTurns.make()
  const got: Array<string> = []
  const begin = Effect.fnUntraced(function*(name: string, needs: "fetching" | "take", caller = name) {
    const scope = yield* Scope.make()
    const turn = yield* Scope.provide(turns(caller), scope)
    yield* Effect.forkDetach(Effect.tap(turn[needs], () => Effect.sync(() => got.push(name))), {
      startImmediately: true
    })
    return { turn, end: Scope.close(scope, Exit.void) }
  })
  return { begin, got, turnOf: turns }
})

it.effect("a turn to wait for a server is given to one job at a time, and the other turn is for what was uploaded", () =>
  Effect.gen(function*() {
    const { begin, got } = yield* jobs
    const first = yield* begin("first site", "fetching")
    const second = yield* begin("second site", "fetching")
    const file = yield* begin("file", "take")
    assert.deepStrictEqual(got, ["first site", "file"])
    yield* first.turn.fetched
    yield* Effect.yieldNow
    assert.deepStrictEqual(got, ["first site", "file"], "the first site is still held")
    yield* first.end
    yield* Effect.yieldNow
    assert.deepStrictEqual(got, ["first site", "file", "second site"])
    yield* Effect.andThen(file.end, second.end)
  }))

it.effect("a turn is taken once, and can be given back before the job ends", () =>
  Effect.gen(function*() {
    const { begin, got } = yield* jobs
    const first = yield* begin("first", "take")
    yield* Effect.andThen(first.turn.take, first.turn.fetching)
    const second = yield* begin("second", "take")
    const third = yield* begin("third", "take")
    assert.deepStrictEqual(got, ["first", "second"])
    yield* first.turn.give
    yield* Effect.yieldNow
    assert.deepStrictEqual(got, ["first", "second", "third"])
    yield* Effect.all([first.end, second.end, third.end])
    yield* begin("fourth", "take")
    yield* begin("fifth", "fetching")
    assert.deepStrictEqual(got, ["first", "second", "third", "fourth", "fifth"])
  }))

it.effect("a caller has one turn, whatever it uploads, and the other one is for others", () =>
  Effect.gen(function*() {
    const { begin, got } = yield* jobs
    const file = yield* begin("file of Ann", "take", "ann")
    const site = yield* begin("site of Ann", "fetching", "ann")
    const other = yield* begin("file of Bob", "take", "bob")
    assert.deepStrictEqual(got, ["file of Ann", "file of Bob"])
    yield* file.end
    yield* Effect.yieldNow
    assert.deepStrictEqual(got, ["file of Ann", "file of Bob", "site of Ann"])
    yield* Effect.andThen(other.end, site.end)
  }))

it.effect("a job that waits for a turn keeps nothing that others wait for", () =>
  Effect.gen(function*() {
    const { begin, got } = yield* jobs
    const file = yield* begin("file of Ann", "take", "ann")
    yield* begin("site of Ann", "fetching", "ann")
    const site = yield* begin("site of Bob", "fetching", "bob")
    assert.deepStrictEqual(got, ["file of Ann", "site of Bob"])
    yield* Effect.andThen(file.end, site.end)
  }))

it.effect("pages are read one at a time, and what was uploaded has its turn before the next page", () =>
  Effect.gen(function*() {
    const { begin, got, turnOf } = yield* jobs
    const read = Effect.fnUntraced(function*(caller: string) {
      const gate = yield* Latch.make(false)
      const turn = yield* Effect.provideService(turnOf(caller), Scope.Scope, yield* Scope.make())
      const work = Effect.andThen(Effect.sync(() => got.push(`page of ${caller}`)), gate.await)
      yield* Effect.forkDetach(turn.reading(work), { startImmediately: true })
      return { end: gate.open }
    })
    const first = yield* read("ann")
    const second = yield* read("bob")
    yield* begin("file", "take")
    yield* begin("other file", "take")
    assert.deepStrictEqual(got, ["page of ann", "file"])
    yield* first.end
    yield* Effect.yieldNow
    assert.deepStrictEqual(got, ["page of ann", "file", "other file"])
    yield* second.end
  }))
