// Sends spans to a collector over OTLP/HTTP. A collector that does not respond, or is busy, gets them
// again later: they wait in a queue of limited bytes. Refused spans are dropped. When its scope closes it sends the
// remaining spans, within a limit.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Cause, Clock, Deferred, Duration, Effect, Latch, Option, Predicate, Random, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Instruments } from "../Instruments.ts"
import * as Redaction from "../Redaction.ts"
import type { SpanSink } from "../SpanSink.ts"
import * as ExportResponse from "./ExportResponse.ts"
import * as JsonSpans from "./JsonSpans.ts"
import * as ProtobufSpans from "./ProtobufSpans.ts"
import * as SpanQueue from "./SpanQueue.ts"

export interface Options {
  /** The address for traces, with `/v1/traces`. */
  readonly url: string
  readonly protocol: "http/protobuf" | "http/json"
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>>
  readonly compression: "gzip" | "none"
  /** The time limit of a request. */
  readonly timeout: Duration.Duration
  /** How long spans wait for a batch to be full. */
  readonly interval: Duration.Duration
  readonly batchSize: number
  readonly maxBytes: number
  readonly maxSpans: number | undefined
  /** After the first failure. It doubles with each one. A second, when left out. */
  readonly firstPause?: Duration.Duration | undefined
  /** The time limit of the requests when the service stops. */
  readonly stopTimeout: Duration.Duration
  readonly source: SpanQueue.Source
}

export interface SpanExporter extends SpanSink {
  /** Spans that wait or are being sent. The bytes are those in memory, with the copies that requests make. */
  readonly waiting: () => { readonly spans: number; readonly bytes: number }
  /** Since the start. */
  readonly dropped: () => number
}

/** Requests at the same time: a collector that responds slowly takes more than one batch in that time. */
const concurrency = 4

/** The limit of a response. The rest is not read. */
const maxResponseBytes = 16 * 1024

const maxPause = 30_000

/** Without a response, before the exporter stops waiting at the end. */
const maxSilence = 2000

/** Between two log lines about refused spans. */
const remindMillis = 60_000

const beginningOf = Effect.fnUntraced(function*<E, R>(stream: Stream.Stream<Uint8Array, E, R>) {
  const body = new Uint8Array(maxResponseBytes)
  let length = 0
  yield* Stream.runForEach(
    Stream.takeWhile(stream, () => length < maxResponseBytes),
    (bytes) =>
      Effect.sync(() => {
        const kept = bytes.subarray(0, maxResponseBytes - length)
        body.set(kept, length)
        length += kept.length
      })
  )
  return body.subarray(0, length)
})

/** The innermost message: the outer ones only say that a request failed. */
const causeOf = (error: unknown): string => {
  const inner = Predicate.hasProperty(error, "reason")
    ? error.reason
    : Predicate.hasProperty(error, "cause")
    ? error.cause
    : undefined
  if (Predicate.isObject(inner)) return causeOf(inner)
  if (Predicate.hasProperty(error, "message") && error.message !== "") return String(error.message)
  return Predicate.hasProperty(error, "code") ? String(error.code) : "the request failed"
}

const encodings = { "http/protobuf": ProtobufSpans.encoding, "http/json": JsonSpans.encoding }

export const make = Effect.fnUntraced(function*(options: Options) {
  const { batchSize, compression, headers, interval, maxBytes, maxSpans, protocol, source, stopTimeout, timeout, url } =
    options
  const client = yield* HttpClient.HttpClient
  const clock = yield* Clock.Clock
  const encoding = encodings[protocol]
  const isFull = yield* Latch.make(false)
  const stopping = yield* Deferred.make<void>()
  const queue = SpanQueue.make({
    source,
    encoding,
    maxBytes,
    maxSpans,
    batchSize,
    concurrency,
    onFull: () => isFull.openUnsafe()
  })
  const { observeDroppedSpans } = yield* Instruments
  observeDroppedSpans("collector", { full: queue.full, refused: () => queue.dropped() - queue.full() })
  const firstPause = Duration.toMillis(options.firstPause ?? Duration.seconds(1))
  const shownUrl = Redaction.redact(url)
  /** A collector can quote the headers that it refuses. */
  const secrets = Object.values(Redacted.value(headers)).flatMap((value) =>
    [value, value.split(" ").at(-1) ?? ""].map((secret) => Redacted.make(secret))
  )
  const shown = (message: string) => Redaction.redact(message, secrets)
  const now = () => Monotonic.millisOf(clock)
  let failures = 0
  /** Milliseconds: the back-off after a failure, and what the collector requested with `Retry-After`. */
  let [backoffUntil, requestedUntil] = [0, 0]
  const resumed = Latch.makeUnsafe(false)
  let remindAt = 0
  let isStopping = false
  let responses = 0
  /** Spans in requests that have no response yet: the collector can have them. */
  let unconfirmed = 0

  const post = Effect.fnUntraced(function*(body: Uint8Array<ArrayBuffer>) {
    const plain = HttpClientRequest.post(url, { headers: Redacted.value(headers) }).pipe(
      HttpClientRequest.bodyUint8Array(body, encoding.contentType)
    )
    const request = compression === "gzip" ? yield* HttpClientRequest.compressBody(plain, "gzip") : plain
    const response = yield* client.execute(request)
    // a response without a body, such as 204, has no stream
    const read = Effect.orElseSucceed(beginningOf(response.stream), () => new Uint8Array(0))
    return { status: response.status, headers: response.headers, body: yield* read }
  }, Effect.scoped)

  const request = (body: Uint8Array<ArrayBuffer>): Effect.Effect<ExportResponse.Outcome> =>
    post(body).pipe(
      Effect.timeoutOption(timeout),
      Effect.map((response): ExportResponse.Outcome =>
        Option.isNone(response)
          ? { _tag: "Later", message: `it did not respond within ${Duration.format(timeout)}`, after: undefined }
          : ExportResponse.read(response.value, now())
      ),
      // also a defect of the client must not end the worker
      Effect.catchCause((cause): Effect.Effect<ExportResponse.Outcome> =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed({
          _tag: "Later",
          message: causeOf(Cause.squash(cause)),
          after: undefined
        })
      ),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      // a redirected request can lose its body, and then get the response 200
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
      Effect.withTracerEnabled(false)
    )

  const drop = (count: number, message: string) => {
    queue.drop(count)
    if (now() < remindAt) return Effect.void
    remindAt = now() + remindMillis
    return Effect.logWarning(`The collector ${shownUrl} refused ${count} span(s), which are dropped: ${shown(message)}`)
  }

  const failed = Effect.fnUntraced(function*(message: string, after: number | undefined) {
    const random = yield* Random.next
    const backoff = Math.min(maxPause, firstPause * 2 ** failures) * (0.75 + random / 2)
    if (after === undefined) backoffUntil = Math.max(backoffUntil, now() + backoff)
    else requestedUntil = Math.max(requestedUntil, now() + after * 1000)
    if (failures++ === 0) {
      yield* Effect.logWarning(`Spans cannot be sent to the collector ${shownUrl} and wait: ${shown(message)}`)
    }
  })

  const succeeded = Effect.suspend(() => {
    if (failures === 0) return Effect.void
    failures = 0
    backoffUntil = 0
    const log = Effect.logWarning(`Spans are sent to the collector ${shownUrl} again`)
    return Effect.andThen(resumed.release, log)
  })

  /** Returns at once when the service stops. A success of another worker ends a back-off. */
  const pause = Effect.suspend(() => {
    const millis = Math.max(backoffUntil, requestedUntil) - now()
    if (millis <= 0 || isStopping) return Effect.void
    const over = Effect.raceFirst(Effect.sleep(millis), Deferred.await(stopping))
    return requestedUntil > now() ? over : Effect.raceFirst(over, resumed.await)
  })

  const send = Effect.fnUntraced(function*(batch: SpanQueue.Batch, from: number, to: number): Effect.fn.Return<void> {
    for (;;) {
      yield* pause
      const isLast = isStopping
      unconfirmed += to - from
      const outcome = yield* request(batch.body(from, to))
      unconfirmed -= to - from
      if (outcome._tag !== "Later") responses++
      switch (outcome._tag) {
        case "Accepted":
          yield* succeeded
          if (outcome.rejected > 0) yield* drop(Math.min(outcome.rejected, to - from), outcome.message)
          return
        case "Refused":
          return yield* drop(to - from, outcome.message)
        case "TooLarge": {
          if (to - from === 1) return yield* drop(1, "one span is too large for it")
          const middle = from + Math.ceil((to - from) / 2)
          yield* send(batch, from, middle)
          return yield* send(batch, middle, to)
        }
        case "Later":
          yield* failed(outcome.message, outcome.after)
          if (isLast) return queue.drop(to - from)
      }
    }
  })

  const next = Effect.suspend(() => {
    const batch = queue.take()
    if (batch !== undefined) return Effect.as(send(batch, 0, batch.count), batch)
    isFull.closeUnsafe()
    return Effect.as(isFull.await, undefined)
  })

  const worker = Effect.forever(Effect.tap(next, (batch) =>
    Effect.sync(() => {
      if (batch !== undefined) queue.done(batch)
    })))

  const flush = Effect.sync(() => {
    queue.seal()
    isFull.openUnsafe()
  })

  const report = Effect.suspend(() => {
    const refused = () => queue.dropped() - queue.full()
    const limits = [
      `TRACE_QUEUE_MAX_BYTES=${maxBytes}`,
      ...(maxSpans === undefined ? [] : [`OTEL_BSP_MAX_QUEUE_SIZE=${maxSpans}`])
    ]
    const reported = { full: queue.full(), refused: refused() }
    return Effect.forever(Effect.delay(
      Effect.suspend(() => {
        const count = { full: queue.full() - reported.full, refused: refused() - reported.refused }
        reported.full += count.full
        reported.refused += count.refused
        const lines = [
          ...(count.full === 0 ? [] : [
            `The queue for the collector ${shownUrl} was full: ${count.full} span(s) were dropped in the last minute ` +
            `(${limits.join(", ")})`
          ]),
          ...(count.refused === 0 ? [] : [
            `${count.refused} span(s) that the collector refused were dropped in the last minute (${shownUrl})`
          ])
        ]
        return Effect.forEach(lines, (line) => Effect.logWarning(line), { discard: true })
      }),
      "1 minute"
    ))
  })

  /** Ends when all spans are sent, or none were for some time. */
  const untilEmpty = Effect.suspend(() => {
    let [seen, respondedAt] = [responses, now()]
    const isOver = Effect.sync(() => {
      if (responses !== seen) [seen, respondedAt] = [responses, now()]
      return queue.count() === 0 || now() - respondedAt >= maxSilence
    })
    return Effect.repeat(Effect.delay(isOver, "20 millis"), { until: (is) => is })
  })

  // the workers are interrupted after it, because they were begun before
  const workers = Effect.forEach(Array.from({ length: concurrency }), () => Effect.forkScoped(worker), {
    discard: true
  })
  yield* workers
  yield* Effect.forkScoped(Effect.forever(Effect.delay(flush, interval)))
  yield* Effect.forkScoped(report)
  yield* Effect.addFinalizer(Effect.fnUntraced(function*() {
    isStopping = true
    const before = queue.dropped()
    yield* Deferred.succeed(stopping, undefined)
    yield* flush
    if (queue.count() > 0) yield* Effect.timeoutOption(Effect.interruptible(untilEmpty), stopTimeout)
    // spans that the last requests did not deliver are counted as dropped
    const lost = queue.count() + queue.dropped() - before
    const open = unconfirmed === 0 ? "" : `, or were in requests without a response (${unconfirmed}),`
    if (lost > 0) {
      yield* Effect.logWarning(
        `${lost} span(s) were not sent to the collector ${shownUrl}${open} before the service stopped`
      )
    }
  }))
  const exporter: SpanExporter = {
    offer: queue.offer,
    waiting: () => ({ spans: queue.count(), bytes: queue.bytes() }),
    dropped: queue.dropped
  }
  return exporter
})
