// The last events of a run, in memory: bounded by bytes, whatever the length of the run.
import { assert, describe, it } from "@effect/vitest"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Effect, Fiber } from "effect"
import * as EventFeed from "../../src/run/events/EventFeed.ts"

const event = (event_index: number, bytes = 0) =>
  ({ event: "RunContent", event_index, content: "x".repeat(bytes) }) as unknown as RunEvent.RunEvent

const events = (first: number, count: number, bytes = 0) =>
  Array.from({ length: count }, (_, n) => event(first + n, bytes))

const held = (feed: EventFeed.EventFeed) => {
  for (let index = 0; index <= feed.next(); index++) {
    const found = feed.from(index)
    if (found !== undefined) return found
  }
  return []
}

describe("EventFeed", () => {
  it("the feed gives events from any index on, and skips events that it had before", () => {
    const feed = EventFeed.make(3)
    feed.push(events(3, 4))
    feed.push(events(5, 4))
    assert.strictEqual(feed.next(), 9)
    assert.deepStrictEqual(feed.from(3)?.map(({ event_index }) => event_index), [3, 4, 5, 6, 7, 8])
    assert.deepStrictEqual(feed.from(7)?.map(({ event_index }) => event_index), [7, 8])
    assert.deepStrictEqual(feed.from(9), [])
    assert.deepStrictEqual(feed.from(500), [])
    assert.isUndefined(feed.from(2))
  })

  it("the feed keeps no more bytes than its limit, however many events there are and however large one is", () => {
    const feed = EventFeed.make(0, 10_000)
    for (let index = 0; index < 5000; index++) {
      feed.push([event(index, index % 100)])
      assert.isAtMost(JSON.stringify(held(feed)).length, 11_000)
    }
    assert.isUndefined(feed.from(0))
    assert.deepStrictEqual(feed.from(4999)?.map(({ event_index }) => event_index), [4999])
    feed.push([event(5000, 20_000)])
    assert.deepStrictEqual(held(feed), [])
    assert.strictEqual(feed.next(), 5001)
    assert.isUndefined(feed.from(5000))
    feed.push([event(5001)])
    assert.deepStrictEqual(feed.from(5001)?.map(({ event_index }) => event_index), [5001])
  })

  it("all feeds together keep no more bytes than their room and a little of each, and an ended feed makes room", () => {
    const room = { limit: 20_000, least: 1000, held: 0 }
    const feeds = Array.from({ length: 10 }, () => EventFeed.make(0, 10_000, room))
    for (let index = 0; index < 100; index++) for (const feed of feeds) feed.push([event(index, 100)])
    const bytes = feeds.reduce((sum, feed) => sum + JSON.stringify(held(feed)).length, 0)
    assert.isAtMost(bytes, 20_000 + 10 * 1000 + 2000)
    for (const feed of feeds) assert.deepStrictEqual(feed.from(99)?.map(({ event_index }) => event_index), [99])
    for (const feed of feeds.slice(1)) feed.end("complete")
    const [first] = feeds
    first?.push(events(100, 60, 100))
    assert.isAbove(JSON.stringify(held(first!)).length, 8000)
    first?.end("broken")
    first?.push([event(160, 100)])
    assert.strictEqual(room.held, 0)
  })

  it.effect("the feed wakes all waiting readers at each change, and forgets readers that have left", () =>
    Effect.gen(function*() {
      const feed = EventFeed.make(0)
      const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(feed.news))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting[0]!)
      feed.push([event(0)])
      yield* Fiber.joinAll(waiting.slice(1))
      const last = yield* Effect.forkChild(feed.news)
      yield* Effect.yieldNow
      feed.end("broken")
      feed.end("complete")
      yield* Fiber.join(last)
      assert.strictEqual(feed.state(), "broken")
    }))

  it.effect("other work runs while the feed wakes thousands of readers", () =>
    Effect.gen(function*() {
      const feed = EventFeed.make(0)
      let woken = 0
      const reader = Effect.andThen(feed.news, Effect.sync(() => woken++))
      const waiting = yield* Effect.forEach(Array.from({ length: 2000 }), () => Effect.forkChild(reader))
      yield* Effect.yieldNow
      feed.push([event(0)])
      const seen = yield* Effect.callback<ReadonlyArray<number>>((resume) => {
        const counts = [woken]
        const look = () => {
          counts.push(woken)
          if (woken < waiting.length) setImmediate(look)
          else resume(Effect.succeed(counts))
        }
        setImmediate(look)
      })
      const most = Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)))
      assert.isBelow(most, 200, seen.join())
    }))
})
