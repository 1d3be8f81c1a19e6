// What a run keeps of its events in memory.
import { assert, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as RunEvents from "../../src/run/events/RunEvents.ts"
import * as UnstoredRoom from "../../src/run/events/UnstoredRoom.ts"

const made = (room?: UnstoredRoom.UnstoredRoom) =>
  RunEvents.make({
    command: { run_id: Run.Id.make("run"), session_id: Session.Id.make("session") },
    component: { kind: "agent", id: "agent", tags: { agent_id: "agent", agent_name: "agent" } } as never,
    isKept: true,
    first: 0,
    onPending: () => {},
    onStored: () => {},
    room
  })

it.effect("a run that is ahead of the store waits while the runs of its node keep too much, and no other run does", () =>
  Effect.gen(function*() {
    const room = UnstoredRoom.make(10_000, 1000)
    const [long, short, refused] = [yield* made(room), yield* made(room), yield* made(room)]
    long.begin()
    short.begin()
    const publish = (events: RunEvents.RunEvents, length: number) =>
      events.publish({ event: "RunContent", content: "x".repeat(length) } as never)
    // the run that is refused keeps nothing of its node
    publish(refused, 9000)
    publish(long, 9000)
    publish(short, 100)
    yield* long.hasRoom
    publish(long, 9000)
    const waiting = yield* Effect.forkChild(long.hasRoom, { startImmediately: true })
    assert.isUndefined(waiting.pollUnsafe())
    yield* short.hasRoom
    const [first] = long.unstored()
    long.stored([first!])
    yield* Fiber.join(waiting)

    // what a run keeps that another node has now, or that has ended, is not counted
    publish(long, 9000)
    const again = yield* Effect.forkChild(long.hasRoom, { startImmediately: true })
    assert.isUndefined(again.pollUnsafe())
    long.feed.end("broken")
    yield* Fiber.join(again)
    publish(short, 9000)
    yield* short.hasRoom
  }))

it.effect("text that is joined to an event that waits is counted as well", () =>
  Effect.gen(function*() {
    const room = UnstoredRoom.make(6000, 1000)
    const events = yield* made(room)
    events.begin()
    const publish = () => events.publish({ event: "RunContent", content: "x".repeat(100) } as never)
    for (let count = 0; count <= RunEvents.maxWaiting; count++) publish()
    yield* TestClock.adjust(RunEvents.joinAfter + 1)
    yield* events.hasRoom
    for (let count = 0; count < 38; count++) publish()
    assert.lengthOf(events.unstored(), RunEvents.maxWaiting + 1)
    const waiting = yield* Effect.forkChild(events.hasRoom, { startImmediately: true })
    assert.isUndefined(waiting.pollUnsafe())
    events.stored(events.unstored())
    yield* Fiber.join(waiting)
  }))

it.effect("stored events are released, and later events are kept until they are stored", () =>
  Effect.gen(function*() {
    const events = yield* RunEvents.make({
      command: { run_id: Run.Id.make("run"), session_id: Session.Id.make("session") },
      component: { kind: "agent", id: "agent", tags: { agent_id: "agent", agent_name: "agent" } } as never,
      isKept: true,
      first: 0,
      onPending: () => {},
      onStored: () => {}
    })
    const publish = () => events.publish({ event: "RunContentCompleted" } as never)
    publish()
    publish()
    const before = events.unstored()
    publish()
    events.stored(before)
    assert.deepStrictEqual(events.unstored().map(({ event_index }) => event_index), [2])
    events.stored(events.unstored())
    assert.deepStrictEqual(events.unstored(), [])
    assert.strictEqual(events.feed.next(), 3)
  }))
