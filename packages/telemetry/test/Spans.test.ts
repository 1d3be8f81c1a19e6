import { assert, describe, it } from "@effect/vitest"
import * as Span from "@svc-runtime/domain/Span"
import { withTime } from "@svc-runtime/test-support/SettableClock"
import { Effect, Exit, Schema, Tracer } from "effect"
import type { OpenSpan } from "../src/OpenSpan.ts"
import * as OperationSpan from "../src/OperationSpan.ts"
import * as Sampler from "../src/Sampler.ts"
import * as Spans from "../src/Spans.ts"
import * as SpanSink from "../src/SpanSink.ts"
import { type Options, SpanTracer } from "../src/SpanTracer.ts"

const collected = Effect.fnUntraced(
  function*<A, E>(effect: Effect.Effect<A, E>, options: Partial<Options> = {}) {
    const sink = SpanSink.memory()
    yield* Effect.exit(Effect.provideService(effect, Tracer.Tracer, new SpanTracer({ sinks: [sink], ...options })))
    return sink.spans
  }
)

const named = (name: string) => () => ({ name })

describe("spans", () => {
  it.effect("an error ends a span with ERROR and an event, without credentials", () =>
    Effect.gen(function*() {
      const failing = Effect.die(new TypeError("401 for key sk-1234567890abcdef"))
      const [span] = yield* collected(Spans.around(failing, named("call")))
      assert.deepInclude(span, { status: "ERROR", status_message: "401 for key [redacted]" })
      assert.strictEqual(span?.attributes["error.type"], "TypeError")
      assert.strictEqual(span?.events[0]?.attributes["exception.message"], "401 for key [redacted]")
      assert.notInclude(JSON.stringify(span), "1234567890")
    }))

  it.effect("a clock that is set back leaves the duration of a span as it is", () =>
    Effect.gen(function*() {
      const time = { wall: 20_000_000_000n, monotonic: 0n }
      const setBack = Effect.sync(() => Object.assign(time, { wall: 5_000_000_000n, monotonic: 2_000_000_000n }))
      const [span] = yield* collected(withTime(time)(Spans.around(setBack, named("call"))))
      assert.deepInclude(span, { started_at: 20_000_000, ended_at: 22_000_000 })
    }))

  it.effect("an interruption is no error", () =>
    Effect.gen(function*() {
      const [span] = yield* collected(Spans.around(Effect.interrupt, named("call")))
      assert.deepInclude(span, { status: "UNSET", status_message: null })
    }))

  it.effect("values and spans have limited sizes", () =>
    Effect.gen(function*() {
      const long = "x".repeat(10_000_000)
      const attributes = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, long]))
      const spans = yield* collected(Spans.around(Effect.void, () => ({ name: "call", attributes })))
      assert.isBelow(JSON.stringify(spans).length, 200_000)
    }))

  it.effect("the values of a span, its events and its links are limited together, and leave room for its attributes", () =>
    Effect.gen(function*() {
      const large = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, "x".repeat(16_000)]))
      const link = { span: Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) }), attributes: large }
      const noisy = Effect.sync(() => undefined)
      const [span] = yield* collected(Spans.around(noisy, () => ({ name: "call", links: [link, link] }), {
        begin: (span, _, time) => {
          for (let count = 0; count < 128; count++) span.event("noise", time, large)
        },
        close: (span) => span.set("output.value", "y".repeat(16_000))
      }))
      assert.lengthOf(span?.events ?? [], 128)
      assert.strictEqual(String(span?.attributes["output.value"]).length, 16_000)
      assert.isBelow(JSON.stringify(span).length, 131_072 + 128 * 100)
    }))

  it.effect("a large attribute leaves room for others, and one that changes counts once", () =>
    Effect.gen(function*() {
      const changing = Effect.forEach(
        Array.from({ length: 100 }, (_, step) => step),
        (step) => Effect.annotateCurrentSpan({ step: `${step} ${"x".repeat(2000)}` })
      )
      const huge = Effect.annotateCurrentSpan({ ["k".repeat(200_000)]: 1 })
      const authored = Spans.authored(Effect.withSpan(
        Effect.andThen(changing, Effect.andThen(huge, Effect.annotateCurrentSpan({ last: 1 }))),
        "n".repeat(1_000_000)
      ))
      const [span] = yield* collected(Spans.around(authored, named("call")))
      assert.match(String(span?.attributes["step"]), /^99 /)
      assert.strictEqual(span?.attributes["last"], 1)
      assert.isBelow(JSON.stringify(span).length, 10_000)
    }))

  it.effect("a span has the names of the attributes that code of an author has set, whatever they are", () =>
    Effect.gen(function*() {
      const authored = Spans.authored(Effect.andThen(
        Effect.annotateCurrentSpan({ "db.table": "tea", "gen_ai.tool.name": "stock", "output.value": "early" }),
        Effect.withSpan(Effect.void, "inner", { attributes: { "http.url": "/" } })
      ))
      const [inner, span] = yield* collected(Spans.around(
        authored,
        () => ({ name: "call", attributes: { "gen_ai.tool.name": "shop", "svc.attempt": 1 } }),
        { close: (span) => span.set("output.value", "late") }
      ))
      assert.deepStrictEqual([inner?.authored, span?.authored], [["http.url"], ["db.table", "gen_ai.tool.name"]])
      const [plain] = yield* collected(Spans.around(Effect.void, () => ({ name: "call", attributes: { "db.a": 1 } })))
      assert.notProperty(plain, "authored")
    }))

  it.effect("credentials in spans of an author, such as the URL of a request, reach no collector and no store", () =>
    Effect.gen(function*() {
      const url = "https://shop.example/tea?api_key=hunter2hunter2"
      const authored = Spans.authored(
        Effect.withSpan(
          Effect.map(
            Effect.orDie(Effect.currentSpan),
            (span) => span.event(`asked ${url}`, 1n, { key: "sk-hunter2hunter2", all: [url] })
          ),
          `request ${url}`,
          { attributes: { "url.full": url, urls: [url], headers: { authorization: "Bearer hunter2hunter2" } } }
        )
      )
      const spans = yield* collected(Spans.around(authored, () => ({ name: "call" })))
      assert.notInclude(JSON.stringify(spans), "hunter2")
      const shown = "https://shop.example/tea?[redacted]"
      const texts = spans.flatMap(({ attributes, events, name }) => [name, attributes["url.full"], events[0]?.name])
      assert.deepStrictEqual(texts.slice(0, 3), [`request ${shown}`, shown, `asked ${shown}`])
    }))

  it.effect("spans outside of runs are not recorded where no sink takes them, and their trace continues in a run", () =>
    Effect.gen(function*() {
      const spans: Array<Span.Span> = []
      const tracer = new SpanTracer({ sinks: [{ takesOnlyRuns: true, offer: (span) => void spans.push(span) }] })
      const run = { ...Span.noRun, run_id: "r" }
      let request: OpenSpan | undefined
      yield* Spans.around(
        Spans.around(Effect.void, () => ({ name: "run", run, attributes: { shown: true } })),
        () => ({ name: "request", attributes: { shown: true } }),
        { begin: (span) => void (request = span) }
      ).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual(spans.map(({ attributes, name }) => [name, attributes]), [["run", { shown: true }]])
      assert.deepStrictEqual([spans[0]?.trace_id, spans[0]?.parent_span_id], [request?.traceId, request?.spanId])
      assert.strictEqual(request?.attributes.size, 0)
    }))

  it.effect("attributes that cannot be read do not fail the code of an author", () =>
    Effect.gen(function*() {
      const revoked = Proxy.revocable<Array<string>>([], {})
      revoked.revoke()
      const throwing = new Proxy([], {
        get: () => {
          throw new Error("no")
        }
      })
      const attributes = JSON.parse("{\"__proto__\": \"a\", \"constructor\": \"b\"}") as Record<string, unknown>
      Object.defineProperty(attributes, "getter", {
        enumerable: true,
        get: () => {
          throw new Error("no")
        }
      })
      const other = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })
      const authored = Effect.gen(function*() {
        yield* Effect.annotateCurrentSpan({ revoked: revoked.proxy, throwing, list: ["a", throwing] })
        yield* Effect.annotateCurrentSpan("__proto__", "a")
        const span = yield* Effect.currentSpan
        span.addLinks([{ span: other, attributes }])
        span.event("event", 0n, attributes)
        yield* Effect.annotateCurrentSpan("last", 1)
      })
      const exits: Array<Exit.Exit<void, unknown>> = []
      const [span] = yield* collected(
        Effect.onExit(Spans.around(Spans.authored(authored), named("call")), (exit) =>
          Effect.sync(() => exits.push(exit)))
      )
      assert.deepStrictEqual(exits, [Exit.void])
      yield* Schema.decodeUnknownEffect(Span.Span)(span)
      const unreadable = "\"[unreadable]\""
      assert.deepStrictEqual(span?.attributes, {
        revoked: unreadable,
        throwing: unreadable,
        list: ["a", unreadable],
        last: 1
      })
      assert.deepStrictEqual(span?.events[0]?.attributes, { constructor: "b" })
      assert.deepStrictEqual(span?.links[0]?.attributes, { constructor: "b" })
    }))

  it.effect("the names of attributes have limited lengths", () =>
    Effect.gen(function*() {
      const long = { ["k".repeat(100_000)]: 1 }
      const other = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16) })
      const authored = Effect.gen(function*() {
        yield* Effect.annotateCurrentSpan(long)
        const span = yield* Effect.currentSpan
        span.event("event", 0n, long)
        span.addLinks([{ span: other, attributes: long }])
      })
      const [span] = yield* collected(Spans.around(Spans.authored(authored), named("call")))
      const given = [span?.attributes, span?.events[0]?.attributes, span?.links[0]?.attributes]
      assert.deepStrictEqual(given.map((attributes) => Object.values(attributes ?? {})), [[1], [1], [1]])
      for (const attributes of given) assert.isAtMost(Object.keys(attributes ?? {})[0]?.length ?? 0, 256)
      assert.deepStrictEqual(span?.authored, Object.keys(span?.attributes ?? {}))
    }))

  it.effect("spans of authors are valid with any ids, links and times", () =>
    Effect.gen(function*() {
      const other = Tracer.externalSpan({ traceId: "abc", spanId: "12" })
      const strange = Tracer.externalSpan({ traceId: "no trace", spanId: "no span" })
      const spans = yield* collected(Spans.around(
        Spans.authored(Effect.andThen(
          Effect.withSpan(Effect.void, "other", { parent: other, links: [{ span: strange, attributes: {} }] }),
          Effect.withSpan(Effect.void, "strange", { parent: strange })
        )),
        () => ({ name: "late", startTime: 5_000_000n })
      ))
      for (const span of spans) yield* Schema.decodeUnknownEffect(Span.Span)(span)
      assert.deepStrictEqual(spans.map(({ name }) => name), ["other", "strange", "late"])
      assert.deepStrictEqual([spans[0]?.parent_span_id, spans[0]?.links], [null, []])
      assert.strictEqual(spans[2]?.ended_at, spans[2]?.started_at)
    }))

  it.effect("an error that cannot be read stays the result", () =>
    Effect.gen(function*() {
      const error = {
        get message(): string {
          throw new Error("no")
        }
      }
      const exits: Array<Exit.Exit<void, unknown>> = []
      const keep = Effect.onExit((exit: Exit.Exit<void, unknown>) => Effect.sync(() => exits.push(exit)))
      const [span] = yield* collected(keep(Spans.around(Effect.fail(error), named("call"))))
      assert.deepInclude(span, { status: "ERROR", status_message: "An unknown error" })
      assert.isTrue(exits.length === 1 && Exit.isFailure(exits[0]!) && exits[0].cause.reasons.length === 1)
    }))

  it.effect("Effect's own spans are not collected, and those of authors are children", () =>
    Effect.gen(function*() {
      const own = Effect.withSpan(Effect.void, "own")
      const spans = yield* collected(Spans.around(
        Effect.andThen(
          Effect.withTracerEnabled(own, false),
          Spans.authored(Effect.andThen(own, Spans.around(own, named("inner"))))
        ),
        named("outer")
      ))
      assert.deepStrictEqual(spans.map(({ name }) => name), ["own", "inner", "outer"])
      assert.strictEqual(spans[1]?.parent_span_id, spans[2]?.span_id)
    }))

  it.effect("a message in an unsampled request is sampled by the rule for its own parent", () =>
    Effect.gen(function*() {
      const parent = (sampled: boolean) => `00-${"ab".repeat(16)}-${"cd".repeat(8)}-0${sampled ? 1 : 0}`
      const request = Tracer.externalSpan({ traceId: "0".repeat(31) + "1", spanId: "1".repeat(16), sampled: false })
      const names = Effect.fnUntraced(function*(fields: Readonly<Record<string, string>>, name: Sampler.Name) {
        const calling = OperationSpan.message(
          Spans.around(Effect.void, named("tool")),
          { name: "call", attributes: {}, fields },
          () => false
        )
        const received = Effect.withParentSpan(Spans.around(calling, named("request")), request)
        const spans = yield* collected(received, { sampler: Sampler.make(name) })
        return spans.map(({ name }) => name)
      })
      const sampled = { traceparent: parent(true) }
      assert.deepStrictEqual(yield* names(sampled, "parentbased_always_on"), ["tool", "call"])
      assert.deepStrictEqual(yield* names(sampled, "parentbased_always_off"), ["tool", "call"])
      assert.deepStrictEqual(yield* names({ traceparent: parent(false) }, "parentbased_always_on"), [])
      assert.deepStrictEqual(yield* names({}, "parentbased_always_on"), [])
      assert.deepStrictEqual(yield* names(sampled, "always_off"), [])
    }))

  it.effect("a trace that is not sampled has no spans, and the decision of the caller is followed", () =>
    Effect.gen(function*() {
      const inner = Spans.around(Effect.void, named("inner"))
      const nested = Spans.around(inner, named("outer"))
      assert.deepStrictEqual(yield* collected(nested, { sampler: Sampler.make("always_off") }), [])
      const caller = (sampled: boolean) =>
        Effect.withParentSpan(
          nested,
          Tracer.externalSpan({ traceId: "0".repeat(31) + "1", spanId: "1".repeat(16), sampled })
        )
      assert.deepStrictEqual(yield* collected(caller(false)), [])
      assert.strictEqual(
        (yield* collected(caller(true), { sampler: Sampler.make("parentbased_always_off") })).length,
        2
      )
    }))

  it("a ratio keeps its part of all traces, and the same ones in each service", () => {
    const ids = Array.from({ length: 4096 }, (_, index) => (index * 0x9e3779b1).toString(16).padStart(32, "a"))
    const spread = ids.map((id, index) => id.slice(0, 18) + (index << 4).toString(16).padStart(4, "0") + id.slice(22))
    const kept = spread.filter((traceId) => Sampler.make("traceidratio", 0.25)({ traceId, parent: undefined }))
    assert.strictEqual(kept.length, 1024)
    assert.isTrue(kept.every((traceId) => Sampler.make("traceidratio", 0.5)({ traceId, parent: undefined })))
    // OpenTelemetry keeps the highest of the last 56 bits
    const rare = Sampler.make("traceidratio", 0.001)
    const at = (digit: string) => rare({ traceId: "1".repeat(18) + digit.repeat(14), parent: undefined })
    assert.deepStrictEqual([at("f"), at("0")], [true, false])
  })

  it.effect("an effect keeps its result inside of a span", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Effect.exit(Spans.around(Effect.fail("no"), named("call"))), Exit.fail("no"))
    }))
})
