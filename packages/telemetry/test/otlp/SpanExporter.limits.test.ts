// What an exporter holds and how long it waits when a collector does not respond.
import { assert, describe, it } from "@effect/vitest"
import * as OtlpReceiver from "@svc-runtime/test-support/otlp/OtlpReceiver"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Duration, Effect, Exit, Scope } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Instruments from "../../src/Instruments.ts"
import * as SpanExporter from "../../src/otlp/SpanExporter.ts"
import { exporter, logged, options, send, until } from "./Exporters.ts"

Tier.oneIn(4)

const maxBytes = 1024 * 1024

describe("limits of an exporter", () => {
  it.live.each(["http/protobuf", "http/json"] as const)(
    "a collector that never responds costs limited memory in %s, with its requests and their repeats",
    (protocol) =>
      Effect.gen(function*() {
        let requests = 0
        const to = yield* SpanExporter.make({
          ...options("http://collector"),
          protocol,
          maxBytes,
          timeout: Duration.millis(20),
          firstPause: Duration.millis(1),
          stopTimeout: Duration.millis(10)
        }).pipe(Effect.provideService(HttpClient.HttpClient, HttpClient.make(() => (requests++, Effect.never))))
        let offered = 0
        let most = 0
        // more spans come while requests are repeated
        yield* until(() => {
          send(to, 10_000)
          offered += 10_000
          const { bytes, spans } = to.waiting()
          most = Math.max(most, bytes)
          assert.strictEqual(to.dropped() + spans, offered)
          return requests >= 12
        })
        assert.isAtMost(most, maxBytes)
        assert.isAbove(most, maxBytes / 2)
      })
  )

  it.live("spans that are dropped are counted for Prometheus, by reason", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make()
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => ({ status: 400 }))
      const to = yield* Effect.provideService(
        exporter(receiver.url, { maxSpans: 3 }),
        Instruments.Instruments,
        instruments
      )
      send(to, 5)
      yield* until(() => to.waiting().spans === 0)
      const lines = instruments.format().split("\n").filter((line) => line.startsWith("svc_spans_dropped_total"))
      assert.deepStrictEqual(lines.toSorted(), [
        "svc_spans_dropped_total{destination=\"collector\",reason=\"full\"} 2",
        "svc_spans_dropped_total{destination=\"collector\",reason=\"refused\"} 3"
      ])
    }))

  it.effect("the log says once a minute how many spans were dropped and why, also if none wait any more", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      const statuses = [200, 400]
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(null, { status: statuses.shift() ?? 200 })))
      )
      const to = yield* SpanExporter.make({ ...options("http://collector"), maxSpans: 3 }).pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.provide(layer)
      )
      yield* TestClock.adjust("1 second")
      send(to, 5)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([to.waiting().spans, lines], [0, [
        "The queue for the collector http://collector/v1/traces was full: 2 span(s) were dropped in the last minute " +
        "(TRACE_QUEUE_MAX_BYTES=33554432, OTEL_BSP_MAX_QUEUE_SIZE=3)"
      ]])
      send(to, 1)
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(lines, 3)
      assert.match(lines.join("\n"), /1 span\(s\) that the collector refused were dropped in the last minute/)
    }))

  it.effect("the first success after failures ends the pauses of all workers", () =>
    Effect.gen(function*() {
      let [requests, isBack] = [0, false]
      const client = HttpClient.make((request) => {
        requests++
        const answer = Effect.sync(() =>
          HttpClientResponse.fromWeb(request, new Response(null, { status: isBack ? 200 : 503 }))
        )
        return Effect.delay(answer, "1 millis")
      })
      const to = yield* SpanExporter.make({ ...options("http://collector"), batchSize: 1, stopTimeout: Duration.zero })
        .pipe(
          Effect.provideService(HttpClient.HttpClient, client)
        )
      send(to, 2)
      // the second failure doubles the pause: one worker repeats after a second, the other after two, about
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(requests, 2)
      isBack = true
      yield* TestClock.adjust("1300 millis")
      assert.strictEqual(to.waiting().spans, 0)
    }))

  it.effect.each(["0", "-5", "Thu, 01 Jan 2015 00:00:00 GMT"])(
    "the pauses grow with each failure although the collector responds with retry-after: %s",
    (after) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.UTC(2026, 0))
        let requests = 0
        const client = HttpClient.make((request) =>
          Effect.sync(() => {
            // without a pause, the requests would never end
            if (++requests > 50) return HttpClientResponse.fromWeb(request, new Response())
            const response = new Response(null, { status: 503, headers: { "retry-after": after } })
            return HttpClientResponse.fromWeb(request, response)
          })
        )
        const to = yield* SpanExporter.make({ ...options("http://collector"), stopTimeout: Duration.zero }).pipe(
          Effect.provideService(HttpClient.HttpClient, client)
        )
        send(to, 1)
        // pauses of about 1, 2, 4 and 8 seconds
        yield* TestClock.adjust("12 seconds")
        assert.isAtLeast(requests, 4)
        assert.isAtMost(requests, 5)
      })
  )

  it.live("the copies that requests in flight make count among the bytes of the queue", () =>
    Effect.gen(function*() {
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => "hang")
      const to = yield* exporter(receiver.url, { maxBytes, stopTimeout: Duration.millis(10) })
      send(to, 5)
      const { bytes } = yield* receiver.next
      assert.deepStrictEqual(to.waiting(), { spans: 5, bytes: 2 * bytes })
    }))

  it.live("the service stops in time although the collector does not respond, and the log counts what is lost", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => "hang")
      const scope = yield* Scope.make()
      const stopTimeout = Duration.millis(50)
      const to = yield* Scope.provide(Effect.provide(exporter(receiver.url, { stopTimeout }), layer), scope)
      send(to, 5)
      yield* receiver.next
      yield* Effect.provide(Scope.close(scope, Exit.void), layer)
      assert.match(lines.at(-1) ?? "", /^5 span\(s\) were not sent to the collector .* before the service stopped$/)
    }))

  it.live("spans in requests without a response are counted apart, because they can have arrived", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      const receiver = yield* OtlpReceiver.make()
      yield* receiver.answer(() => "hang")
      const scope = yield* Scope.make()
      const stopTimeout = Duration.millis(50)
      const changed = { batchSize: 1, stopTimeout }
      const to = yield* Scope.provide(Effect.provide(exporter(receiver.url, changed), layer), scope)
      send(to, 6)
      // as many requests as are made at the same time
      for (let count = 0; count < 4; count++) yield* receiver.next
      yield* Effect.provide(Scope.close(scope, Exit.void), layer)
      assert.match(
        lines.at(-1) ?? "",
        /^6 span\(s\) were not sent .*, or were in requests without a response \(4\), before/
      )
    }))

  it.effect("the service waits two seconds after the last response of a collector, and not for the whole limit", () =>
    Effect.gen(function*() {
      let requests = 0
      const client = HttpClient.make((request) =>
        ++requests > 1 ? Effect.never : Effect.as(
          Effect.sleep("1500 millis"),
          HttpClientResponse.fromWeb(request, new Response())
        )
      )
      const scope = yield* Scope.make()
      const to = yield* SpanExporter.make({
        ...options("http://collector"),
        batchSize: 1,
        stopTimeout: Duration.seconds(5)
      }).pipe(Effect.provideService(HttpClient.HttpClient, client), Scope.provide(scope))
      send(to, 2)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual([requests, to.waiting().spans], [2, 1])
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isDefined(closing.pollUnsafe())
    }))
})
