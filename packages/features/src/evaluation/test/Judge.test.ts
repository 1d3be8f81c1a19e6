import { assert, describe, it } from "@effect/vitest"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Fiber, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as Judge from "../Judge.ts"

describe("Judge", () => {
  it.effect("A judge that does not answer in time counts as one request that failed, with a span that says so.", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const sink = SpanSink.memory()
      const { model } = yield* Script.make([[Script.hang]])
      const asking = Judge.ask({
        model,
        question: { _tag: "Criteria", criteria: "It is polite", strategy: "binary" },
        guidelines: null,
        input: "Hi",
        output: "Hello",
        seconds: 60,
        source: "evaluation"
      })
      const fiber = yield* counting(asking).pipe(
        Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })),
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("60 seconds")
      assert.include((yield* Fiber.join(fiber)).reason, "EVALUATION_JUDGE_TIMEOUT")
      assert.deepStrictEqual(counts(), { "scripted error": 1 })
      assert.deepStrictEqual(sink.spans.map(({ name, status }) => [name, status]), [["chat scripted", "ERROR"]])
    }))
})
