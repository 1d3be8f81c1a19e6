import { assert, it } from "@effect/vitest"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as RunStream from "../../src/sse/RunStream.ts"

const [content, continued, requested] = ["RunContent", "RunContinued", "ModelRequestCompleted"] as const

/** The names of the frames that a caller of `stream_events=false` gets. */
const shown = Effect.fnUntraced(function*(...given: ReadonlyArray<string | { readonly reasoning_content: string }>) {
  const events = given.map((each, event_index) => {
    const fields = typeof each === "string"
      ? { event: each, content: each === content ? "word" : null, reasoning_content: "" }
      : { event: content, content: "", ...each }
    return { ...fields, event_index, run_id: "r" } as unknown as RunEvent.RunEvent
  })
  const response = RunStream.watch({ events: Stream.fromIterable(events), count: events.length, status: "COMPLETED" }, {
    kind: "agent",
    allEvents: false
  })
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
})

it.live("a stream with nothing but the answer says where the answer begins again, and not where a run continues", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* shown("RunStarted", content, continued, content, requested), [
      content,
      continued,
      content
    ])
    assert.deepStrictEqual(yield* shown(continued, content, requested, continued, content), [content, content])
  }))

it.live("a stream with nothing but the answer says where its reasoning begins again", () =>
  Effect.gen(function*() {
    const [begun, again] = [{ reasoning_content: "Hm" }, { reasoning_content: "Hmm" }]
    assert.deepStrictEqual(yield* shown("RunStarted", begun, continued, again, requested), [
      content,
      continued,
      content
    ])
  }))
