// The run that spans belong to.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as OperationSpan from "../src/OperationSpan.ts"
import * as RunSpan from "../src/RunSpan.ts"
import * as Spans from "../src/Spans.ts"
import * as SpanSink from "../src/SpanSink.ts"
import { SpanTracer } from "../src/SpanTracer.ts"
import * as TraceContext from "../src/TraceContext.ts"

const subjectOf = (run_id: string, root?: RunSpan.Root): RunSpan.Subject => ({
  component: { kind: "agent", id: "guide", name: "Guide" },
  run_id,
  session_id: "s",
  user_id: undefined,
  attempt: 1,
  root
})

const later = TestClock.adjust("1 second")

describe("the run of spans", () => {
  it.effect("spans of a run, of its members and of its jobs know when the run began, wherever they are", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      yield* TestClock.setTime(5_000)
      yield* Effect.gen(function*() {
        const trace = (yield* TraceContext.begin)!
        const root = { database: "main", trace, isResumed: false, requested: undefined }
        let enqueued: TraceContext.Stored | undefined
        const member = RunSpan.around(
          Effect.as(Effect.andThen(later, Spans.around(later, () => ({ name: "call" }))), Option.none()),
          subjectOf("member")
        )
        const run = Effect.gen(function*() {
          yield* later
          yield* member
          enqueued = yield* TraceContext.around
          return Option.none()
        })
        yield* RunSpan.around(run, subjectOf("r", root))
        const job = { kind: "learning", attempts: 1, session_id: "s", user_id: null, trace: enqueued }
        yield* OperationSpan.job(Spans.around(later, () => ({ name: "chat" })), job)
        // a request is no run
        yield* Spans.around(Effect.void, () => ({ name: "request" }))
      }).pipe(Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })))
      const began = 5_000_000
      assert.deepStrictEqual(sink.spans.map(({ name, run_started_at }) => [name, run_started_at]), [
        ["call", began],
        ["invoke_agent guide", began],
        ["invoke_agent guide", began],
        ["chat", began],
        ["job learning", began],
        ["request", undefined]
      ])
    }))
})
