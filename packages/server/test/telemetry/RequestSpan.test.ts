// The trace of a request, from the headers of its caller.
import { assert, describe, it } from "@effect/vitest"
import { requestSpan } from "@svc-runtime/http/telemetry/RequestSpan"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Effect, Tracer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

const trace = "0af7651916cd43dd8448eb211c80319c"
const traceparent = `00-${trace}-b7ad6b7169203331-01`

const answered = HttpServerResponse.empty()

/** The trace in which the request is handled. */
const traceOf = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>, propagates: boolean) {
  let found: string | undefined
  const app = Effect.map(TraceContext.current, (span) => {
    found = span?.traceId
    return answered
  })
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/workflows/ws", { headers }))
  yield* requestSpan(app).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [SpanSink.memory()], propagates }))
  )
  return found
})

const upgrade = { upgrade: "websocket", connection: "Upgrade" }

describe("the trace of a request", () => {
  it.effect.each([["a request", {}], ["an upgrade", upgrade]] as const)(
    "%s continues that of its caller, unless OTEL_PROPAGATORS forbids it",
    ([, headers]) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* traceOf({ ...headers, traceparent }, true), trace)
        assert.notStrictEqual(yield* traceOf({ ...headers, traceparent }, false), trace)
      })
  )
})
