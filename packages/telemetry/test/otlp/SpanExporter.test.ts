// An exporter and a collector that responds well, badly, late or never.
import { assert, describe, it } from "@effect/vitest"
import * as OtlpReceiver from "@svc-runtime/test-support/otlp/OtlpReceiver"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Duration, Effect, Exit, Redacted, Scope } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import * as SpanExporter from "../../src/otlp/SpanExporter.ts"
import { exporter, logged, numbers, options, send, until } from "./Exporters.ts"

Tier.oneIn(4)

const names = (receiver: OtlpReceiver.OtlpReceiver) => receiver.spans.map(({ name }) => name).toSorted()

const allOf = (count: number) => numbers(count).map((number) => `span ${number}`).toSorted()

const firstPause = Duration.millis(20)

describe("an exporter", () => {
  it.live("spans arrive once, in requests of limited size, with the headers of the operator", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      const headers = Redacted.make({ authorization: "Bearer secret" })
      const to = yield* exporter(receiver.url, { headers, batchSize: 100 })
      send(to, 250)
      yield* until(() => receiver.spans.length >= 250)
      assert.deepStrictEqual(names(receiver), allOf(250))
      assert.deepStrictEqual(receiver.requests.map(({ data }) => data[0]?.spans.length), [100, 100, 50])
      const [request] = receiver.requests
      assert.strictEqual(request?.path, "/v1/traces")
      assert.strictEqual(request?.headers["authorization"], "Bearer secret")
      assert.isUndefined(request?.headers["traceparent"])
      yield* until(() => to.waiting().spans === 0)
      assert.deepStrictEqual([to.waiting(), to.dropped()], [{ spans: 0, bytes: 0 }, 0])
    }))

  it.live.each(["http/protobuf", "http/json"] as const)(
    "requests in %s can be compressed",
    (protocol) =>
      Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        const to = yield* exporter(receiver.url, { compression: "gzip", protocol })
        send(to, 300)
        const { bytes, headers } = yield* receiver.next
        assert.strictEqual(headers["content-encoding"], "gzip")
        assert.isBelow(bytes, 300 * 30)
        assert.deepStrictEqual(names(receiver), allOf(300))
      })
  )

  it.live("a redirect is not followed, because its response would not be that of a collector, and the log has its target", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      yield* Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        yield* receiver.answer(({ path }) =>
          path === "/login" ? { status: 200 } : { status: 302, headers: { location: "/login" } }
        )
        const to = yield* exporter(receiver.url)
        send(to, 3)
        yield* until(() => to.waiting().spans === 0)
        assert.deepStrictEqual(receiver.requests.map(({ path }) => path), ["/v1/traces"])
        assert.strictEqual(to.dropped(), 3)
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.match(lines.join(), /refused 3 span\(s\), which are dropped: it responded with 302, a redirect to \/login/)
    }))

  it.live.each(["9".repeat(30), "1e300", "-4"])(
    "no more spans count as dropped than were sent, if the collector says that it has rejected %s",
    (rejectedSpans) =>
      Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        const body = JSON.stringify({ partialSuccess: { rejectedSpans, errorMessage: "no" } })
        yield* receiver.answer(() => ({ status: 200, headers: { "content-type": "application/json" }, body }))
        const to = yield* exporter(receiver.url)
        send(to, 3)
        yield* until(() => to.waiting().spans === 0)
        assert.strictEqual(to.dropped(), rejectedSpans === "-4" ? 0 : 3)
      })
  )

  it.live("nothing is lost while a collector is away", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      yield* Effect.gen(function*() {
        const { port, url } = yield* Effect.scoped(
          Effect.map(OtlpReceiver.make(), ({ url }) => ({ url, port: Number(new URL(url).port) }))
        )
        const to = yield* exporter(url, { batchSize: 10, firstPause })
        send(to, 100)
        yield* until(() => lines.length > 0)
        assert.strictEqual(to.waiting().spans, 100)
        const receiver = yield* OtlpReceiver.make(port)
        yield* until(() => receiver.spans.length >= 100)
        assert.deepStrictEqual(names(receiver), allOf(100))
        assert.strictEqual(to.dropped(), 0)
        yield* until(() => lines.length === 2)
      }).pipe(Effect.provide(layer))
      assert.match(lines[0] ?? "", /^Spans cannot be sent to the collector http:.*\/v1\/traces and wait: /)
      assert.match(lines[1] ?? "", /^Spans are sent to the collector .* again$/)
    }))

  it.live.each([429, 502, 503, 504, 408])(
    "spans to which a collector responds with %d are sent again",
    (status) =>
      Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        yield* receiver.answer(() => receiver.requests.length < 3 ? { status } : { status: 200 })
        const to = yield* exporter(receiver.url, { firstPause: Duration.millis(5) })
        send(to, 5)
        yield* until(() => receiver.spans.length > 0)
        assert.deepStrictEqual([names(receiver), receiver.requests.length, to.dropped()], [allOf(5), 3, 0])
      })
  )

  it.live("a collector that says when is asked then, and not before", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      yield* Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        const times: Array<number> = []
        yield* receiver.answer(() => {
          times.push(performance.now())
          return times.length === 1 ? { status: 429, headers: { "retry-after": "1" } } : { status: 200 }
        })
        const to = yield* exporter(receiver.url, { batchSize: 1, firstPause: Duration.millis(1) })
        send(to, 1)
        yield* until(() => lines.length > 0)
        send(to, 8)
        yield* until(() => receiver.spans.length === 9)
        assert.isAtLeast((times[1] ?? 0) - (times[0] ?? 0), 950)
      }).pipe(Effect.provide(layer))
    }))

  it.live("spans that are refused are dropped, and the log says why", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      yield* Effect.gen(function*() {
        const receiver = yield* OtlpReceiver.make()
        yield* receiver.answer(() => ({
          status: 400,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ code: 3, message: "no such\nproject for hunter2horse" })
        }))
        const to = yield* exporter(receiver.url, { headers: Redacted.make({ "x-project": "hunter2horse" }) })
        send(to, 5)
        yield* until(() => to.waiting().spans === 0)
        send(to, 5)
        yield* until(() => to.dropped() === 10)
        assert.strictEqual(receiver.requests.length, 2)
      }).pipe(Effect.provide(layer))
      assert.strictEqual(lines.length, 1)
      assert.match(
        lines[0] ?? "",
        /refused 5 span\(s\), which are dropped: it responded with 400 \(no such project for \[redacted\]\)$/
      )
    }))

  // rejected_spans: 2, error_message: "bad"
  const partial = Buffer.from([0x0a, 0x07, 0x08, 0x02, 0x12, 0x03, 0x62, 0x61, 0x64])
  it.live.each(
    [
      ["application/x-protobuf", partial],
      ["application/json", JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "bad" } })]
    ] as const
  )(
    "spans that a collector rejects out of a request are counted, in a response as %s",
    ([type, body]) =>
      Effect.gen(function*() {
        const { layer, lines } = logged()
        yield* Effect.gen(function*() {
          const receiver = yield* OtlpReceiver.make()
          yield* receiver.answer(() => ({ status: 200, headers: { "content-type": type }, body }))
          const to = yield* exporter(receiver.url)
          send(to, 5)
          yield* until(() => to.waiting().spans === 0)
          assert.deepStrictEqual([to.dropped(), receiver.requests.length], [2, 1])
        }).pipe(Effect.provide(layer))
        assert.match(lines[0] ?? "", /refused 2 span\(s\).*: bad$/)
      })
  )

  it.live("a request that is too large is sent in parts, and a span that is too large alone is dropped", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(({ data: [data] }) => ({
        status: (data?.spans.length ?? 0) > 3 || data?.spans.some(({ name }) => name === "span 7") ? 413 : 200
      }))
      const to = yield* exporter(receiver.url)
      send(to, 20)
      yield* until(() => to.waiting().spans === 0)
      assert.deepStrictEqual(names(receiver), allOf(20).filter((name) => name !== "span 7"))
      assert.strictEqual(to.dropped(), 1)
    }))

  it.live("a request without a response in time is sent again", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => receiver.requests.length === 1 ? "hang" : { status: 200 })
      const to = yield* exporter(receiver.url, { timeout: Duration.millis(50), firstPause })
      send(to, 5)
      yield* until(() => receiver.spans.length > 0)
      assert.deepStrictEqual([names(receiver), to.dropped()], [allOf(5), 0])
    }))

  it.live("spans that are accepted without a body are not sent again", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => ({ status: 204 }))
      const to = yield* exporter(receiver.url, { firstPause: Duration.millis(1) })
      send(to, 5)
      yield* until(() => to.waiting().spans === 0)
      assert.deepStrictEqual([receiver.requests.length, to.dropped()], [1, 0])
    }))

  it.live("a client that throws does not end the exporter", () =>
    Effect.gen(function*() {
      let requests = 0
      const client = HttpClient.make(() =>
        Effect.sync(() => {
          if (++requests > 2) return new Response()
          throw new Error("A bug of the client")
        }).pipe(
          Effect.map((response) => HttpClientResponse.fromWeb(HttpClientRequest.get("http://collector"), response))
        )
      )
      const to = yield* Effect.provideService(
        SpanExporter.make({ ...options("http://collector"), firstPause: Duration.millis(1) }),
        HttpClient.HttpClient,
        client
      )
      send(to, 5)
      yield* until(() => to.waiting().spans === 0)
      assert.deepStrictEqual([requests, to.dropped()], [3, 0])
    }))

  it.live("what waits is sent when the service stops, also to a collector that had failed", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      const scope = yield* Scope.make()
      yield* receiver.answer(() => receiver.requests.length === 1 ? "cut" : { status: 200 })
      const hour = Duration.hours(1)
      const to = yield* Scope.provide(
        exporter(receiver.url, { interval: hour, firstPause: hour, batchSize: 10 }),
        scope
      )
      send(to, 10)
      yield* receiver.next
      send(to, 5)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(receiver.spans.length, 15)
    }))
})
