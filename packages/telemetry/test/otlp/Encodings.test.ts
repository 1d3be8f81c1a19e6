import { assert, describe, it } from "@effect/vitest"
import * as OtlpDecoder from "@svc-runtime/test-support/otlp/OtlpDecoder"
import { Effect } from "effect"
import { OtlpSerialization } from "effect/observability"
import * as JsonSpans from "../../src/otlp/JsonSpans.ts"
import * as ProtobufSpans from "../../src/otlp/ProtobufSpans.ts"
import type { Encoding } from "../../src/otlp/SpanQueue.ts"
import { source, spanOf, wholeSpan } from "./Exporters.ts"

const spans = [wholeSpan, spanOf(2), spanOf(3)]

const encoded = (encoding: Encoding, hasContent = true, from = 0, to = spans.length): Buffer => {
  const batch = encoding.open({ ...source, hasContent })()
  for (const span of spans) batch.add(span)
  return Buffer.from(batch.seal().body(from, to))
}

describe("encodings of OTLP", () => {
  const [whole] = OtlpDecoder.fromProtobuf(encoded(ProtobufSpans.encoding))

  it("a collector reads what a span has from its bytes", () => {
    assert.deepStrictEqual(whole?.resource, source.resource)
    assert.deepStrictEqual(whole?.scope, { name: "svc", version: "0.1.0" })
    const span = whole?.spans[0]
    assert.deepInclude(span, {
      traceId: wholeSpan.trace_id,
      spanId: wholeSpan.span_id,
      parentSpanId: "b7ad6b7169203331",
      traceState: "vendor=1,other=2",
      name: wholeSpan.name,
      kind: 3,
      start: 1_795_223_413_123_456_000n,
      end: 1_795_223_413_123_457_000n,
      status: { code: 2, message: "Too much" },
      flags: 1
    })
    assert.deepStrictEqual(span?.attributes, {
      ...wholeSpan.attributes,
      "gen_ai.input.messages": "Question",
      "gen_ai.output.messages": "Answer"
    })
    assert.deepStrictEqual(span?.events, [{
      name: "exception",
      time: 1_795_223_413_123_457_000n,
      attributes: { "exception.type": "Error" }
    }])
    assert.deepStrictEqual(span?.links.map(({ attributes }) => attributes), [{ "svc.link": "request" }])
  })

  it("JSON and Protocol Buffers say the same", () => {
    const json = OtlpDecoder.fromJson(encoded(JsonSpans.encoding).toString("utf8"))
    assert.deepStrictEqual(json, [whole!])
  })

  it("attributes with equal values in many spans, and with another value in each, are in every batch", () => {
    const values = Array.from({ length: 40 }, (_, index) => [index, `${index}`, index % 2 === 0, index / 7] as const)
    const many = values.map(([count, text, isEven, share], index) => ({
      ...spanOf(index + 1),
      attributes: { "openinference.span.kind": "LLM", "input.value": "Question", count, text, isEven, share, "é": "ü" }
    }))
    const open = ProtobufSpans.encoding.open({ ...source, hasContent: true })
    const json = JsonSpans.encoding.open({ ...source, hasContent: true })()
    for (const span of many) json.add(span)
    const expected = OtlpDecoder.fromJson(Buffer.from(json.seal().body(0, many.length)).toString("utf8"))
    for (const batch of [open(), open()]) {
      for (const span of many) batch.add(span)
      assert.deepStrictEqual(OtlpDecoder.fromProtobuf(Buffer.from(batch.seal().body(0, many.length))), expected)
    }
  })

  it.effect("another implementation of Protocol Buffers writes the same spans", () =>
    Effect.gen(function*() {
      const { traces } = yield* OtlpSerialization.OtlpSerialization
      const body = traces(JSON.parse(encoded(JsonSpans.encoding).toString("utf8")))
      assert(body._tag === "Uint8Array")
      assert.deepStrictEqual(OtlpDecoder.fromProtobuf(Buffer.from(body.body)), [whole!])
    }).pipe(Effect.provide(OtlpSerialization.layerProtobuf)))

  it("content leaves the service only where it is allowed to", () => {
    for (const encoding of [ProtobufSpans.encoding, JsonSpans.encoding]) {
      const batch = encoding.open({ ...source, hasContent: false })()
      const attributes = { "gen_ai.evaluation.name": "polite", "gen_ai.evaluation.explanation": "It says please" }
      const events = [{ name: "gen_ai.evaluation.result", time: 1, attributes }]
      for (const span of [...spans, { ...spanOf(4), events }]) batch.add(span)
      const text = Buffer.from(batch.seal().body(0, 4)).toString("utf8")
      assert.include(text, "polite")
      assert.notInclude(text, "please")
      assert.notInclude(text, "Question")
      assert.notInclude(text, "Answer")
      assert.include(text, "Too much")
    }
  })

  it("a part of a batch is a request of its own", () => {
    const [part] = OtlpDecoder.fromProtobuf(encoded(ProtobufSpans.encoding, true, 1, 2))
    assert.deepStrictEqual(part?.spans.map(({ name }) => name), ["span 2"])
    const [other] = OtlpDecoder.fromJson(encoded(JsonSpans.encoding, true, 1, 2).toString("utf8"))
    assert.deepStrictEqual(other, part)
  })
})
