import { assert, describe, it } from "@effect/vitest"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as EventText from "../../src/run/events/EventText.ts"

describe("EventText", () => {
  it("an event is shown as it was stored although a value inside of it has changed since", () => {
    const tools: Array<object> = []
    const event = { event: "RunPaused", event_index: 0, tools } as unknown as RunEvent.RunEvent
    const stored = EventText.of(event)
    tools.push({ tool_name: "later" })
    assert.strictEqual(EventText.of(event), stored)
    assert.strictEqual(stored, "{\"event\":\"RunPaused\",\"event_index\":0,\"tools\":[]}")
  })

  it("a copy of an event has a text of its own, and so do events that cannot change", () => {
    const event = Object.freeze({ event: "RunContent", event_index: 0 }) as unknown as RunEvent.RunEvent
    assert.strictEqual(EventText.of(event), "{\"event\":\"RunContent\",\"event_index\":0}")
    assert.strictEqual(EventText.of({ ...event, event_index: 1 }), "{\"event\":\"RunContent\",\"event_index\":1}")
    assert.strictEqual(JSON.stringify(event), EventText.of(event))
  })
})
