import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as IngestionTurns from "../IngestionTurns.ts"

/** Which jobs have what they asked for. */
const jobs = Effect.gen(function*() {
  const turns = IngestionTurns.make()
  const got: Array<string> = []
  const begin = Effect.fnUntraced(function*(name: string, needs: "fetching" | "take") {
    const scope = yield* Scope.make()
    const turn = yield* Scope.provide(turns, scope)
    yield* Effect.forkDetach(Effect.tap(turn[needs], () => Effect.sync(() => got.push(name))), {
      startImmediately: true
    })
    return { turn, end: Scope.close(scope, Exit.void) }
  })
  return { begin, got }
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
