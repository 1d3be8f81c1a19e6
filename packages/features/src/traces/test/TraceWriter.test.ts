import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Span from "@svc-runtime/domain/Span"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryTraceStore from "../MemoryTraceStore.ts"
import * as TraceFilter from "../TraceFilter.ts"
import * as TraceParts from "../TraceParts.ts"
import { TraceStore } from "../TraceStore.ts"
import { TraceBuffer, TraceWriter } from "../TraceWriter.ts"
import { root, span } from "./SampleTraces.ts"

interface Fault {
  /** What the database says of a batch; undefined: it takes it. */
  of: (spans: ReadonlyArray<Span.Span>) => StorageUnavailable | undefined
  /** Returns when the database replies. It answers at once, when left out. */
  answers?: Effect.Effect<void>
}

/** A store that fails as the test says, a writer into it, and what it logs. */
const writing = Effect.fnUntraced(function*(buffer: TraceBuffer, fault: Fault = { of: () => undefined }) {
  const logged: Array<string> = []
  const store = MemoryTraceStore.layer
  const faulty = Layer.effect(
    TraceStore,
    TraceStore.useSync((inner) => ({
      ...inner,
      write: (spans: ReadonlyArray<Span.Span>, at: number) =>
        Effect.suspend(() => {
          const failure = fault.of(spans)
          const written = failure === undefined ? inner.write(spans, at) : Effect.fail(failure)
          return Effect.andThen(fault.answers ?? Effect.void, written)
        })
    }))
  ).pipe(Layer.provide(store))
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push([message].flat().map(String).join(" ")))])
  const context = yield* Layer.build(TraceWriter.layer(buffer).pipe(Layer.provideMerge(faulty), Layer.provide(logger)))
  const stored = Effect.map(
    Effect.provideContext(
      TraceStore.use((traces) =>
        traces.search({ owner: Owner.anyone, filter: TraceFilter.everything }, { page: 1, limit: 10_000 })
      ),
      context
    ),
    ({ found }) => found.flatMap(({ spans }) => spans)
  )
  return { logged, stored, flush: buffer.flush }
})

describe("TraceWriter", () => {
  it.effect("the log says once that a trace takes no more spans", () =>
    Effect.gen(function*() {
      const buffer = new TraceBuffer({ hasContent: true })
      const { logged } = yield* writing(buffer)
      const first = root()
      for (let count = 1; count < TraceParts.limits.spans + 10; count++) {
        buffer.offer(span({ trace_id: first.trace_id }))
        if (count % 1000 === 0) yield* TestClock.adjust("1 second")
      }
      buffer.offer(first)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(logged, [
        "A trace has as many spans as it takes. Of its later spans only those of root runs are stored"
      ])
    }))

  it.effect("spans of runs are stored after a moment, and others never", () =>
    Effect.gen(function*() {
      const buffer = new TraceBuffer({ hasContent: true })
      const { stored } = yield* writing(buffer)
      buffer.offer(root())
      buffer.offer(root({ run_id: null }))
      assert.lengthOf(yield* stored, 0)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* stored, 1)
    }))

  it.effect("a reader waits until what ended before is stored, and for a limited time only", () =>
    Effect.gen(function*() {
      const fault: Fault = { of: () => undefined }
      const buffer = new TraceBuffer({ hasContent: true })
      const { flush, stored } = yield* writing(buffer, fault)
      for (let count = 0; count < 1200; count++) buffer.offer(span())
      yield* flush
      assert.lengthOf(yield* stored, 1200)
      fault.answers = Effect.never
      buffer.offer(span())
      const waiting = yield* Effect.forkChild(flush)
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isDefined(waiting.pollUnsafe())
      fault.answers = Effect.void
    }))

  it.effect("a reader does not wait for a database that is away", () =>
    Effect.gen(function*() {
      const buffer = new TraceBuffer({ hasContent: true })
      const { flush } = yield* writing(buffer, { of: () => new StorageUnavailable({ cause: "away" }) })
      buffer.offer(span())
      const waiting = yield* Effect.forkChild(flush)
      yield* TestClock.adjust("1 second")
      assert.isDefined(waiting.pollUnsafe())
    }))

  it.effect("a database that is away costs no spans while they have room, and one line in the log, and one when it is back", () =>
    Effect.gen(function*() {
      const fault: Fault = { of: () => new StorageUnavailable({ cause: "away" }) }
      const buffer = new TraceBuffer({ hasContent: true })
      const { logged, stored } = yield* writing(buffer, fault)
      buffer.offer(root())
      yield* TestClock.adjust("20 seconds")
      buffer.offer(root())
      yield* TestClock.adjust("20 seconds")
      assert.lengthOf(logged, 1)
      fault.of = () => undefined
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(yield* stored, 2)
      assert.strictEqual(buffer.dropped, 0)
      assert.deepStrictEqual(logged.slice(1), ["The traces of runs are stored again"])
    }))

  it.effect("a batch whose outcome is unknown is repeated with the same spans, because stores count it once", () =>
    Effect.gen(function*() {
      const batches: Array<ReadonlyArray<string>> = []
      const fault: Fault = {
        of: (spans) => {
          batches.push(spans.map(({ span_id }) => span_id))
          return batches.length < 3 ? new StorageUnavailable({ cause: "away" }) : undefined
        }
      }
      const buffer = new TraceBuffer({ hasContent: true })
      const { stored } = yield* writing(buffer, fault)
      const [first, second] = [root(), root()]
      buffer.offer(first)
      yield* TestClock.adjust("1 second")
      buffer.offer(second)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(batches, [[first.span_id], [first.span_id], [first.span_id], [second.span_id]])
      assert.lengthOf(yield* stored, 2)
    }))

  it.effect("spans beyond the limit of bytes are dropped, counted, and logged once a minute", () =>
    Effect.gen(function*() {
      const fault: Fault = { of: () => new StorageUnavailable({ cause: "away" }) }
      const buffer = new TraceBuffer({ hasContent: true, bufferBytes: 100_000 })
      const { logged, stored } = yield* writing(buffer, fault)
      const large = () => root({ attributes: { "input.value": "x".repeat(10_000) } })
      for (let count = 0; count < 50; count++) buffer.offer(large())
      const { dropped } = buffer
      assert.isAbove(dropped, 40)
      yield* TestClock.adjust("30 seconds")
      assert.lengthOf(logged.filter((line) => line.includes("were not stored")), 1)
      fault.of = () => undefined
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(yield* stored, 50 - dropped)
    }))

  it("the texts of a span count among the bytes that wait, also names of attributes and of events", () => {
    const text = "x".repeat(10_000)
    const attributes = { [text]: 1 }
    const [{ span_id, trace_id }, event] = [root(), { name: "event", time: 1, attributes: {} }]
    const own = [{ attributes }, { authored: [text] }, { status_message: text }, { trace_state: text }, { name: text }]
    const large: ReadonlyArray<Partial<Span.Span>> = [
      ...own,
      ...[{ ...event, attributes }, { ...event, name: text }].map((event) => ({ events: [event] })),
      { links: [{ span_id, trace_id, attributes }] }
    ]
    for (const given of large) {
      const buffer = new TraceBuffer({ hasContent: true, bufferBytes: 100_000 })
      for (let count = 0; count < 10; count++) buffer.offer(root(given))
      assert.isAbove(buffer.dropped, 4, JSON.stringify(given).slice(0, 40))
    }
  })

  it.effect("spans that are dropped are counted for Prometheus, by reason", () =>
    Effect.gen(function*() {
      const instruments = Instruments.make()
      const buffer = new TraceBuffer({ hasContent: true, bufferBytes: 100_000 })
      const { flush } = yield* Effect.provideService(
        writing(buffer, { of: () => new StorageUnavailable({ cause: "rejected", isRejected: true }) }),
        Instruments.Instruments,
        instruments
      )
      const counted = (reason: string) =>
        Number(
          new RegExp(`^svc_spans_dropped_total\\{destination="database",reason="${reason}"\\} (\\d+)$`, "m")
            .exec(instruments.format())?.[1]
        )
      assert.deepStrictEqual([counted("full"), counted("refused")], [0, 0])
      for (let count = 0; count < 50; count++) buffer.offer(root({ attributes: { text: "x".repeat(10_000) } }))
      const full = buffer.dropped
      yield* flush
      assert.deepStrictEqual([counted("full"), counted("refused")], [full, 50 - full])
    }))

  it("the bytes of a span are those of its attributes, its events and its links", () => {
    const attributes = { text: "x".repeat(10_000) }
    const event = { name: "event", time: 1, attributes }
    const link = { trace_id: "a".repeat(32), span_id: "b".repeat(16), attributes }
    for (const fields of [{ attributes }, { events: [event] }, { links: [link] }]) {
      const buffer = new TraceBuffer({ hasContent: true, bufferBytes: 100_000 })
      for (let count = 0; count < 10; count++) buffer.offer(root(fields))
      assert.isAbove(buffer.dropped, 4, JSON.stringify(Object.keys(fields)))
    }
  })

  it.effect("a span that the database rejects is dropped alone", () =>
    Effect.gen(function*() {
      const isBad = ({ name }: Span.Span) => name === "bad"
      const buffer = new TraceBuffer({ hasContent: true })
      const { flush, stored } = yield* writing(buffer, {
        of: (spans) => spans.some(isBad) ? new StorageUnavailable({ cause: "rejected", isRejected: true }) : undefined
      })
      for (let count = 0; count < 200; count++) buffer.offer(span(count === 77 ? { name: "bad" } : {}))
      yield* flush
      assert.lengthOf(yield* stored, 199)
      assert.strictEqual(buffer.dropped, 1)
    }))

  it.effect("the halves of a rejected batch stay batches of their own when the database goes away between them", () =>
    Effect.gen(function*() {
      const batches: Array<ReadonlyArray<string>> = []
      const faults = [
        new StorageUnavailable({ cause: "rejected", isRejected: true }),
        undefined,
        new StorageUnavailable({ cause: "away" })
      ]
      const buffer = new TraceBuffer({ hasContent: true })
      const { stored } = yield* writing(buffer, {
        of: (spans) => {
          batches.push(spans.map(({ name }) => name))
          return faults[batches.length - 1]
        }
      })
      for (const name of ["a", "b", "c", "d"]) buffer.offer(span({ name }))
      yield* TestClock.adjust("1 second")
      buffer.offer(span({ name: "e" }))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(batches, [["a", "b", "c", "d"], ["a", "b"], ["c", "d"], ["c", "d"], ["e"]])
      assert.lengthOf(yield* stored, 5)
      assert.strictEqual(buffer.dropped, 0)
    }))

  it.effect("a span at which the store throws is dropped alone, and the log has the cause", () =>
    Effect.gen(function*() {
      const buffer = new TraceBuffer({ hasContent: true })
      const { flush, logged, stored } = yield* writing(buffer, {
        of: (spans) => {
          if (spans.some(({ name }) => name === "bad")) throw new TypeError("not well formed")
          return undefined
        }
      })
      for (let count = 0; count < 20; count++) buffer.offer(span(count === 7 ? { name: "bad" } : {}))
      const flushed = yield* Effect.forkChild(flush)
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(flushed)
      assert.lengthOf(yield* stored, 19)
      assert.strictEqual(buffer.dropped, 1)
      assert.lengthOf(logged.filter((line) => line.includes("not well formed")), 1)
    }))

  it.effect("what waits is stored when the service stops", () =>
    Effect.gen(function*() {
      const written: Array<Span.Span> = []
      const buffer = new TraceBuffer({ hasContent: true })
      yield* Effect.scoped(Effect.gen(function*() {
        yield* writing(buffer, { of: (spans) => void written.push(...spans) })
        buffer.offer(root())
      }))
      assert.lengthOf(written, 1)
    }))

  it.effect("without content no prompts, answers, arguments, results and attributes of authors are stored", () =>
    Effect.gen(function*() {
      const buffer = new TraceBuffer({ hasContent: false })
      const { flush, stored } = yield* writing(buffer)
      const ofAuthor = { "shop.customer": "secret", "db.customer": "secret", "svc.customer": "secret" }
      const content = { "input.value": "secret", "output.value": "secret" }
      const result = { "gen_ai.evaluation.name": "polite", "error.type": "_OTHER" }
      const attributes = { ...ofAuthor, ...result, "gen_ai.evaluation.explanation": "secret" }
      const { span_id, trace_id } = root()
      buffer.offer(root({
        attributes: { ...ofAuthor, ...content, "svc.attempt": 1 },
        authored: Object.keys(ofAuthor),
        events: [{ name: "gen_ai.evaluation.result", time: 1, attributes }],
        links: [{ span_id, trace_id, attributes: { ...ofAuthor, "svc.link": "job" } }]
      }))
      yield* flush
      const [found] = yield* stored
      assert.notInclude(JSON.stringify(found), "secret")
      assert.notInclude(JSON.stringify(found), "customer")
      assert.strictEqual(found?.attributes["svc.attempt"], 1)
      assert.deepStrictEqual(found?.events[0]?.attributes, result)
      assert.deepStrictEqual(found?.links[0]?.attributes, { "svc.link": "job" })
    }))
})
