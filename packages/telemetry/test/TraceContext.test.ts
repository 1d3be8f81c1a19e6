import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Tracer } from "effect"
import * as SpanSink from "../src/SpanSink.ts"
import { SpanTracer, TraceState } from "../src/SpanTracer.ts"
import * as TraceContext from "../src/TraceContext.ts"

const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]

describe("the W3C trace context", () => {
  it("a valid header is read, also of a version to come", () => {
    const fields = { traceparent: `00-${trace}-${span}-01`, tracestate: "vendor=a:1,other@x=2" }
    const parsed = TraceContext.parse(fields)
    assert.deepInclude(parsed, { traceId: trace, spanId: span, sampled: true })
    assert.strictEqual(parsed && Context.getOrUndefined(parsed.annotations, TraceState), fields.tracestate)
    assert.isFalse(TraceContext.parse({ traceparent: `00-${trace}-${span}-02` })?.sampled)
    assert.isTrue(TraceContext.parse({ traceparent: `cc-${trace}-${span}-03-what-comes` })?.sampled)
  })

  it.each([
    undefined,
    7,
    "",
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace}-${span}-0g`,
    "0".repeat(100_000)
  ])("an invalid header is left out: %#", (traceparent) => {
    assert.isUndefined(TraceContext.parse({ traceparent }))
  })

  it("a state may have empty members, as joined headers have them", () => {
    for (const tracestate of ["a=1,,b=2", "a=1, ,b=2", ",a=1,"]) {
      const parsed = TraceContext.parse({ traceparent: `00-${trace}-${span}-01`, tracestate })
      assert.strictEqual(parsed && Context.getOrUndefined(parsed.annotations, TraceState), tracestate)
    }
  })

  it.each([
    "",
    ",",
    "x".repeat(600),
    "no pairs",
    "a=\n",
    Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(","),
    `a=1,${"b=2,".repeat(100_000)}`
  ])(
    "a state of another form is left out, and the trace is continued: %#",
    (tracestate) => {
      const parsed = TraceContext.parse({ traceparent: `00-${trace}-${span}-01`, tracestate })
      assert.isNull(parsed && Context.getOrUndefined(parsed.annotations, TraceState))
    }
  )

  it.each([null, {}, { traceparent: "no" }, { traceparent: 5 }])(
    "a stored trace of another form is none: %#",
    (stored) => {
      assert.isUndefined(TraceContext.fromStored(stored))
    }
  )

  it.effect("a trace is the same after it was stored, with and without a span around", () =>
    Effect.gen(function*() {
      const around = TraceContext.parse({ traceparent: `00-${trace}-${span}-01`, tracestate: "a=1" })
      assert(around !== undefined)
      const begun = [yield* Effect.withParentSpan(TraceContext.begin, around), yield* TraceContext.begin]
      assert.deepInclude(begun[0], { traceId: trace, sampled: true, state: "a=1" })
      for (const one of begun) {
        assert(one !== undefined)
        const stored = JSON.parse(JSON.stringify(TraceContext.encode(one)))
        assert.deepStrictEqual(TraceContext.fromStored(stored), one)
      }
    }).pipe(Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [SpanSink.memory()] }))))
})
