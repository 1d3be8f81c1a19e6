// What a run keeps of its events in memory.
import { assert, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { Effect } from "effect"
import * as RunEvents from "../../src/run/events/RunEvents.ts"

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
