// Stores the spans of runs in batches, apart from the runs. What waits is bounded by bytes: a database that is away for
// longer loses spans, which are counted and logged, and never delays a run.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type * as Span from "@svc-runtime/domain/Span"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as AuthorAttributes from "@svc-runtime/telemetry/AuthorAttributes"
import * as Content from "@svc-runtime/telemetry/Content"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import type { SpanSink } from "@svc-runtime/telemetry/SpanSink"
import { Clock, Context, Deferred, Duration, Effect, Exit, Latch, Layer } from "effect"
import { TraceStore } from "./TraceStore.ts"

export interface Options {
  /** Whether prompts, answers, arguments and results are stored. */
  readonly hasContent: boolean
  /** Bytes of the spans that wait, about. */
  readonly bufferBytes?: number | undefined
}

/** Of one statement. */
const batch = { spans: 500, bytes: 512 * 1024 }

/** How long spans wait for others, so that most traces are one row of one batch. */
const interval = "500 millis"

/** The pause after a failed statement. */
const retryDelay = "1 second"

/** How long a stop waits for the last spans, and a reader for the spans of ended runs. */
const flushTimeout = "3 seconds"

/** Rejected statements after which the rest of a batch is dropped. */
const maxFailures = 24

const logInterval = Duration.toMillis("1 minute")

/** An object in memory takes more than its texts. */
const spanBytes = 1000

const textsOf = (attributes: Span.Attributes): number => {
  let size = 0
  for (const name in attributes) {
    size += 2 * name.length
    const value = attributes[name]
    if (typeof value === "string") size += 2 * value.length
    else if (typeof value === "object") size += value.reduce((sum, text) => sum + 2 * text.length, 0)
  }
  return size
}

const sizeOf = ({ attributes, authored = [], events, links, name, status_message, trace_state }: Span.Span): number => {
  let size = spanBytes + textsOf(attributes)
  size += 2 * (name.length + (status_message?.length ?? 0) + (trace_state?.length ?? 0))
  for (const name of authored) size += 2 * name.length
  for (const event of events) size += spanBytes + 2 * event.name.length + textsOf(event.attributes)
  for (const link of links) size += spanBytes + textsOf(link.attributes)
  return size
}

const kept = (attributes: Span.Attributes, isOfService: (name: string) => boolean): Span.Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !Content.names.has(name) && isOfService(name)))

const withoutContent = ({ authored = [], ...span }: Span.Span): Span.Span => {
  const beside = <A extends Span.Event | Span.Link>(one: A): A => ({
    ...one,
    attributes: kept(one.attributes, (name) => AuthorAttributes.ofEventsAndLinks.has(name))
  })
  return {
    ...span,
    attributes: kept(span.attributes, (name) => !authored.includes(name)),
    events: span.events.map(beside),
    links: span.links.map(beside)
  }
}

interface Waiting {
  readonly span: Span.Span
  readonly bytes: number
}

interface Flush {
  /** How many spans have to be stored or dropped. */
  readonly upTo: number
  readonly done: Deferred.Deferred<void>
}

/** The spans that wait, from the tracer to the database. */
export class TraceBuffer implements SpanSink {
  readonly hasContent: boolean
  readonly takesOnlyRuns = true
  readonly #limit: number
  #waiting: Array<Waiting> = []
  #bytes = 0
  #accepted = 0
  #ended = 0
  #dropped = 0
  #full = 0
  /** How many spans each piece of the batch has that is being written. Empty: none is. */
  #pieces: Array<number> = []
  #flushes: Array<Flush> = []
  readonly #isFilled = Latch.makeUnsafe(false)
  readonly #isUrgent = Latch.makeUnsafe(false)

  constructor({ bufferBytes = 32 * 1024 * 1024, hasContent }: Options) {
    this.hasContent = hasContent
    this.#limit = bufferBytes
  }

  /** The spans that could not be stored. */
  get dropped(): number {
    return this.#dropped
  }

  /** The ones among them that did not fit. */
  get full(): number {
    return this.#full
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  offer(given: Span.Span): void {
    if (given.run_id === null) return
    const span = this.hasContent ? given : withoutContent(given)
    const bytes = sizeOf(span)
    if (this.#bytes + bytes > this.#limit) {
      this.#dropped++
      this.#full++
      return
    }
    this.#bytes += bytes
    this.#accepted++
    this.#waiting.push({ span, bytes })
    this.#isFilled.openUnsafe()
  }

  /** Returns when there are spans that have waited for others, or that a reader waits for. */
  readonly filled: Effect.Effect<void> = Effect.suspend(() =>
    Effect.andThen(this.#isFilled.await, Effect.raceFirst(Effect.sleep(interval), this.#isUrgent.await))
  )

  /** Whether pieces of the batch are not written yet. */
  get isWithinBatch(): boolean {
    return this.#pieces.length > 0
  }

  /** The first ones, which stay until `remove`. Until then they are the same: stores count a repeated batch once. */
  peek(): ReadonlyArray<Span.Span> {
    if (this.#pieces.length === 0) this.#pieces.push(this.#countOfBatch())
    return this.#waiting.slice(0, this.#pieces[0]).map(({ span }) => span)
  }

  /** Halves of the first ones are batches of their own from now on, also after an outage between them. */
  split(): void {
    const [count = 0, ...later] = this.#pieces
    const middle = Math.ceil(count / 2)
    this.#pieces = [middle, count - middle, ...later]
  }

  #countOfBatch(): number {
    let [count, bytes] = [0, 0]
    for (const { bytes: size } of this.#waiting) {
      if (count === batch.spans || (count > 0 && bytes + size > batch.bytes)) break
      bytes += size
      count++
    }
    return count
  }

  /** The first ones are stored, or cannot be. */
  remove(isStored: boolean): void {
    const removed = this.#waiting.splice(0, this.#pieces.shift())
    for (const { bytes } of removed) this.#bytes -= bytes
    this.#ended += removed.length
    if (!isStored) this.#dropped += removed.length
    if (this.#waiting.length === 0) this.#isFilled.closeUnsafe()
    this.#endFlushes(this.#ended)
  }

  /** After a failure: readers stop waiting for the spans. */
  release(): void {
    this.#endFlushes(this.#accepted)
  }

  #endFlushes(last: number): void {
    this.#flushes = this.#flushes.filter(({ done, upTo }) => {
      if (upTo <= last) Deferred.doneUnsafe(done, Exit.void)
      return upTo > last
    })
    if (this.#flushes.length === 0) this.#isUrgent.closeUnsafe()
  }

  /** Waits for a limited time until the spans that ended before are stored. */
  readonly flush: Effect.Effect<void> = Effect.suspend(() => {
    if (this.isEmpty) return Effect.void
    const flush: Flush = { upTo: this.#accepted, done: Deferred.makeUnsafe() }
    this.#flushes.push(flush)
    this.#isUrgent.openUnsafe()
    return Effect.asVoid(Effect.timeoutOption(Deferred.await(flush.done), flushTimeout))
  })
}

/** Of each trace once. */
const logFull = (traces: ReadonlyArray<string>) =>
  Effect.forEach(traces, (trace_id) =>
    Effect.annotateLogs(
      Effect.logWarning("A trace has as many spans as it takes. Of its later spans only those of root runs are stored"),
      { trace_id }
    ), { discard: true })

const make = Effect.fnUntraced(function*(buffer: TraceBuffer) {
  const store = yield* TraceStore
  const { observeDroppedSpans } = yield* Instruments
  observeDroppedSpans("database", { full: () => buffer.full, refused: () => buffer.dropped - buffer.full })
  const isAccepted = (spans: ReadonlyArray<Span.Span>, at: number): Effect.Effect<boolean, StorageUnavailable> =>
    Effect.as(Effect.tap(store.write(spans, at), logFull), true).pipe(
      Effect.catchIf(
        (error: StorageUnavailable) => error.isRejected === true && error.isSchemaError !== true,
        () => Effect.succeed(false)
      ),
      // a span that cannot be written must not stop the later ones
      Effect.catchDefect((defect) => Effect.as(logDefect(defect), false))
    )

  let [isFailing, loggedDrops, loggedAt, defectAt] = [false, 0, -logInterval, -logInterval]

  const logDefect = Effect.fnUntraced(function*(defect: unknown) {
    const now = yield* Monotonic.millis
    if (now - defectAt < logInterval) return
    defectAt = now
    yield* Effect.logError("Storing spans failed unexpectedly", defect)
  })

  /** A batch that the database rejects, possibly because of one span, is written in halves. */
  const writeBatch = Effect.gen(function*() {
    const [begun, since] = [yield* Monotonic.millis, yield* Clock.currentTimeMillis]
    let failures = 0
    do {
      const spans = buffer.peek()
      const isStored = failures < maxFailures && (yield* isAccepted(spans, since * 1000))
      if (!isStored) failures++
      if (isStored || spans.length === 1 || failures >= maxFailures) buffer.remove(isStored)
      else buffer.split()
    } while (buffer.isWithinBatch)
    return (yield* Monotonic.millis) - begun
  })

  const logDrops = Effect.gen(function*() {
    const now = yield* Monotonic.millis
    const count = buffer.dropped - loggedDrops
    if (count === 0 || now - loggedAt < logInterval) return
    loggedAt = now
    loggedDrops = buffer.dropped
    yield* Effect.annotateLogs(Effect.logWarning("Spans of runs were not stored, and their traces lack them"), {
      spans: count
    })
  })

  const failed = Effect.fnUntraced(function*(cause: unknown) {
    if (!isFailing) {
      yield* Effect.logWarning("The traces of runs cannot be stored now. Storing them is retried", cause)
    }
    isFailing = true
    buffer.release()
    yield* logDrops
    yield* Effect.sleep(retryDelay)
  })

  /** Pauses for as long as the statement took: other statements get half of the time of the database. */
  const writeAll = Effect.gen(function*() {
    while (!buffer.isEmpty) {
      const took = yield* writeBatch
      if (isFailing) yield* Effect.logWarning("The traces of runs are stored again")
      isFailing = false
      if (!buffer.isEmpty) yield* Effect.sleep(took)
    }
    yield* logDrops
  })

  yield* Effect.addFinalizer(() =>
    writeAll.pipe(Effect.interruptible, Effect.timeoutOption(flushTimeout), Effect.ignore)
  )
  yield* buffer.filled.pipe(
    Effect.andThen(Effect.catchCause(writeAll, failed)),
    Effect.forever,
    Effect.interruptible,
    Effect.forkScoped
  )
})

/** Lets readers of traces wait for the spans of ended runs. */
export class TraceWriter extends Context.Service<TraceWriter, {
  readonly flush: Effect.Effect<void>
}>()("@svc-runtime/features/traces/TraceWriter") {
  /** Writes until it is closed, and then the rest. Undefined: traces are not stored. */
  static readonly layer = (buffer: TraceBuffer | undefined): Layer.Layer<TraceWriter, never, TraceStore> =>
    buffer === undefined
      ? Layer.succeed(TraceWriter, { flush: Effect.void })
      : Layer.effect(TraceWriter, Effect.as(make(buffer), { flush: buffer.flush }))
}
