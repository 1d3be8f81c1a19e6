// Searches of one caller are executed a few at a time, so that the database replies to others meanwhile.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as RequestReadLimiter from "@svc-runtime/http/middleware/RequestReadLimiter"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { handbook } from "./Contents.ts"
import { ask, failed, get, post, serve } from "./Wire.ts"

const others = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))
const settle = Effect.repeat(others, { times: 20 })

/** A service whose searches do not end before they may. */
const serveSearches = Effect.gen(function*() {
  const mayEnd = yield* Deferred.make<void>()
  const seen = { now: 0, most: 0 }
  const held = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      seen.most = Math.max(seen.most, ++seen.now)
      return Effect.ensuring(Effect.andThen(Deferred.await(mayEnd), effect), Effect.sync(() => seen.now--))
    })
  const database = (given: Database): Database => ({
    ...given,
    chunks: { ...given.chunks, search: (query) => held(given.chunks.search(query)) },
    memories: { ...given.memories, list: (...query) => held(given.memories.list(...query)) },
    sessions: { ...given.sessions, list: (...query) => held(given.sessions.list(...query)) },
    traces: {
      ...given.traces,
      list: (...query) => held(given.traces.list(...query)),
      search: (...query) => held(given.traces.search(...query)),
      sessions: (...query) => held(given.traces.sessions(...query))
    }
  })
  return { mayEnd, seen, server: yield* serve({ database, knowledge: [handbook] }) }
})

describe("searches", () => {
  it.effect("a caller has half of what others leave", () =>
    Effect.gen(function*() {
      const { searches } = RequestReadLimiter.budgetsOf({ responsesInFlight: 1 })
      const take = (caller: string) => Effect.forkChild(searches.take(caller, 1, () => Effect.die("late")))
      yield* Effect.forEach(["ann", "ann", "ann", "ann", "ann", "bob", "bob", "bob", "eve", "eve"], take)
      yield* settle
      assert.deepStrictEqual(["ann", "bob", "eve"].map(searches.heldBy), [4, 2, 1])
    }))

  it.effect("a caller's further searches of any kind wait, are refused after ten seconds, and others do not wait", () =>
    Effect.gen(function*() {
      const { mayEnd, seen, server } = yield* serveSearches
      const searches = yield* Effect.forEach([
        post(server, "/knowledge/search", { query: "leave" }),
        post(server, "/traces/search", {}),
        post(server, "/traces/search", { group_by: "session" }),
        get(server, "/traces"),
        get(server, "/trace_session_stats"),
        get(server, "/memories?search_content=tea"),
        get(server, "/sessions?session_name=tea")
      ], (search) => Effect.forkChild(search))
      yield* settle
      assert.strictEqual(seen.now, 4)
      assert.strictEqual((yield* get(server, "/agents")).status, 200)
      yield* TestClock.adjust("10 seconds")
      yield* settle
      yield* Deferred.succeed(mayEnd, undefined)
      const ended = yield* Effect.forEach(searches, (search) => Fiber.join(search))
      const refused = ended.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 3)
      for (const each of refused) failed(each, 429, "TOO_MANY_REQUESTS", /searches/)
      assert.deepStrictEqual(seen, { now: 0, most: 4 })
      assert.strictEqual((yield* ask(server, "/traces")).status, 200)
    }))
})
