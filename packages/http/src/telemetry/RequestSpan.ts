// The span of a request, `{METHOD} {route}`, from the outermost middleware. It ends when the response begins: a stream
// lasts as long as its run, which has a span. A socket has no span, because it lasts for hours: its messages have.
import * as Spans from "@svc-runtime/telemetry/Spans"
import * as SpanTracer from "@svc-runtime/telemetry/SpanTracer"
import * as TraceContext from "@svc-runtime/telemetry/TraceContext"
import { Context, Effect, Tracer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { isUpgrade } from "../authorization/isUpgrade.ts"
import * as RequestRecord from "../logging/RequestRecord.ts"

type App<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Probes are frequent, and their spans would say nothing about a run. */
const withoutSpan: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics/prometheus"])

/** The query can have tokens. */
const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const spanned = <E, R>(app: App<E, R>, request: HttpServerRequest.HttpServerRequest): App<E, R> => {
  const { headers, method, url } = request
  const path = pathOf(url)
  if (withoutSpan.has(path)) return app
  return Spans.around(
    app,
    ({ propagates }) => ({
      name: method,
      kind: "server",
      parent: propagates ? TraceContext.parse(headers) : undefined,
      attributes: {
        "http.request.method": method,
        "url.path": path,
        "openinference.span.kind": "CHAIN"
      }
    }),
    {
      begin: (span) => {
        const record = RequestRecord.of(request)
        if (record === undefined) return
        record.traceId = span.traceId
        span.set("svc.request.id", record.id)
      },
      close: (span, exit) => {
        // the router adds the route
        const route = span.attributeOf("http.route")
        if (route !== undefined) span.name = `${method} ${String(route)}`
        if (exit._tag === "Failure") return
        const { status } = exit.value
        span.set("http.response.status_code", status)
        if (status >= 500) span.set("error.type", String(status))
        span.outcome(status >= 500 ? "ERROR" : "UNSET")
      }
    }
  )
}

export const requestSpan = <E, R>(app: App<E, R>): App<E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.withFiber((fiber): App<E, R | HttpServerRequest.HttpServerRequest> => {
    const tracer = SpanTracer.of(fiber)
    if (tracer === undefined) return app
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    if (!isUpgrade(request)) return spanned(app, request)
    const parent = tracer.propagates ? TraceContext.parse(request.headers) : undefined
    return parent === undefined ? app : Effect.provideService(app, Tracer.ParentSpan, parent)
  })
