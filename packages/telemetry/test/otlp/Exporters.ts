// An exporter for a test, and spans for it.
import type { Span } from "@svc-runtime/domain/Span"
import { noRun } from "@svc-runtime/domain/Span"
import { Duration, Effect, Logger, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as SpanExporter from "../../src/otlp/SpanExporter.ts"

export const source = {
  resource: { "service.name": "svc", "service.instance.id": "one" },
  scope: "svc",
  version: "0.1.0",
  hasContent: true
}

export const options = (url: string): SpanExporter.Options => ({
  url: `${url}/v1/traces`,
  protocol: "http/protobuf",
  headers: Redacted.make({}),
  compression: "none",
  timeout: Duration.seconds(5),
  interval: Duration.millis(10),
  batchSize: 512,
  maxBytes: 32 * 1024 * 1024,
  maxSpans: undefined,
  stopTimeout: Duration.seconds(2),
  source
})

export const exporter = (url: string, changed: Partial<SpanExporter.Options> = {}) =>
  Effect.provide(SpanExporter.make({ ...options(url), ...changed }), FetchHttpClient.layer)

const digits = (number: number, length: number) => number.toString(16).padStart(length, "0")

export const spanOf = (number: number, options: Partial<Span> = {}): Span => ({
  trace_id: digits(number + 1, 32),
  span_id: digits(number + 1, 16),
  parent_span_id: null,
  trace_state: null,
  name: `span ${number}`,
  kind: "internal",
  started_at: 1_795_223_413_123_456,
  ended_at: 1_795_223_413_123_457,
  status: "OK",
  status_message: null,
  attributes: {},
  events: [],
  links: [],
  is_root: false,
  ...noRun,
  ...options
})

export const until = (is: () => boolean) => Effect.repeat(Effect.sleep("5 millis"), { until: () => Effect.sync(is) })

export const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

export const send = (to: SpanExporter.SpanExporter, count: number) =>
  numbers(count).forEach((number) => to.offer(spanOf(number)))

export const logged = () => {
  const lines: Array<string> = []
  const layer = Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))])
  return { lines, layer }
}

/** One of each kind of value. */
export const wholeSpan: Span = spanOf(1, {
  parent_span_id: "b7ad6b7169203331",
  trace_state: "vendor=1,other=2",
  name: "chat gpt – 日本",
  kind: "client",
  status: "ERROR",
  status_message: "Too much",
  attributes: {
    text: "ü".repeat(5000),
    empty: "",
    yes: true,
    no: false,
    whole: 5,
    zero: 0,
    negative: -7,
    large: Number.MAX_SAFE_INTEGER,
    part: 0.25,
    list: ["a", "b".repeat(200)],
    "openinference.span.kind": "LLM",
    "input.value": "Question",
    "output.value": "Answer"
  },
  events: [{ name: "exception", time: 1_795_223_413_123_457, attributes: { "exception.type": "Error" } }],
  links: [{ trace_id: digits(9, 32), span_id: digits(9, 16), attributes: { "svc.link": "request" } }]
})
