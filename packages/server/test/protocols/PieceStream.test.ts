// Where the stream of another protocol ends.
import { assert, it } from "@effect/vitest"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as CompletionStream from "@svc-runtime/protocols/openai/CompletionStream"
import { Effect, Fiber, Stream } from "effect"
import * as PieceStream from "../../src/protocols/PieceStream.ts"

const events = ["RunStarted", "RunContent", "RunContinued", "RunContent"].map((event, event_index) =>
  ({
    event,
    event_index,
    run_id: "r",
    session_id: "s",
    nested_depth: 0,
    content: "Hel",
    content_type: "str",
    reasoning_content: ""
  }) as unknown as RunEvent.RunEvent
)

it.effect("the stream of a completion whose answer begins again ends with the error, and does not wait for the run", () =>
  Effect.gen(function*() {
    const run = { run_id: "r", session_id: "s", model: "a", created: 1, includesUsage: true }
    const reading = yield* Effect.forkChild(
      Stream.runCollect(PieceStream.frames({
        run_id: "r",
        access: undefined,
        encoder: CompletionStream.make(run),
        events: Stream.concat(Stream.fromIterable(events), Stream.never)
      })),
      { startImmediately: true }
    )
    yield* Effect.repeat(Effect.yieldNow, { times: 50 })
    assert.isDefined(reading.pollUnsafe())
    const text = (yield* Fiber.join(reading)).join("")
    assert.match(text, /"error":\{.*The model answers again.*\n\ndata: \[DONE\]\n\n$/)
  }))
