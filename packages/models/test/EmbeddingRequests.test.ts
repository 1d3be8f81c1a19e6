// What the metrics of a node count of requests to embedders.
import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Deferred, Effect, Fiber, Redacted, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as DemoEmbedder from "../src/DemoEmbedder.ts"
import * as Embedder from "../src/Embedder.ts"
import { EmbedderCatalog, type EmbedderRef, type Options } from "../src/EmbedderCatalog.ts"

type Answer = Awaited<ReturnType<Embedder.AiSdkEmbeddingModel["doEmbed"]>>

const model = (
  respond: (values: ReadonlyArray<string>) => Promise<Answer>
): Embedder.AiSdkEmbeddingModel => ({
  specificationVersion: "v4",
  provider: "test",
  modelId: "vectors",
  maxEmbeddingsPerCall: 2,
  supportsParallelCalls: true,
  doEmbed: ({ values }) => respond(values)
})

const answer = (values: ReadonlyArray<string>, rest: Partial<Answer> = {}): Answer => ({
  embeddings: values.map(() => [1, 2]),
  warnings: [],
  ...rest
})

const failure = (statusCode: number) =>
  Object.assign(new Error("busy"), { statusCode, isRetryable: statusCode === 503 })

const retry = { baseDelay: 0 }

/** The series of embedders after vectors of texts were made, each with its value. */
const counted = Effect.fnUntraced(
  function*(ref: EmbedderRef, texts: ReadonlyArray<string>, price?: Prices.Price, settings: Options = {}) {
    const instruments = Instruments.make([], Prices.make(price === undefined ? [] : [price]))
    const { resolve } = yield* Effect.provide(EmbedderCatalog, EmbedderCatalog.layer({ retry, ...settings }))
    const embedder = yield* resolve(ref)
    yield* Effect.exit(embedder.embedMany(texts)).pipe(
      Effect.provideService(Instruments.Instruments, instruments)
    )
    return instruments.format().split("\n").filter((line) =>
      /^svc_(?:embedding_|model_request.*(?:total|count)\{)/.test(line)
    )
  }
)

const requests = (of: string, outcome: string, count: number) => [
  `svc_model_request_duration_seconds_count{${of}} ${count}`,
  `svc_model_requests_total{${of},outcome="${outcome}"} ${count}`
]

describe("requests to embedders", () => {
  it.effect("each call counts with its time, its tokens and its cost", () =>
    Effect.gen(function*() {
      const embedding = model((values) => Promise.resolve(answer(values, { usage: { tokens: 500 } })))
      const price: Prices.Price = { models: ["vectors"], input: 1000, output: 0 }
      const of = `provider="test",model="vectors"`
      assert.sameMembers(yield* counted(embedding, ["a", "b", "c"], price), [
        ...requests(of, "ok", 2),
        `svc_embedding_tokens_total{${of}} 1000`,
        `svc_embedding_cost_usd_total{${of}} 1`
      ])
    }))

  it.effect("the span of a request to an embedder has the tokens of all its calls, and no other span has them", () =>
    Effect.gen(function*() {
      const sink = SpanSink.memory()
      const embedding = model((values) => Promise.resolve(answer(values, { usage: { tokens: 500 } })))
      const { embedMany, ...embedder } = yield* Embedder.ofAiSdk(embedding)
      const texts = ["a", "b", "c"]
      yield* OperationSpan.memory(
        Effect.andThen(OperationSpan.embeddings(embedMany(texts), embedder, texts.length), embedMany(texts)),
        "search_memory"
      ).pipe(Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })))
      assert.deepStrictEqual(
        sink.spans.map(({ attributes, name }) => [
          name,
          attributes["gen_ai.usage.input_tokens"],
          attributes["llm.token_count.prompt"]
        ]),
        [["embeddings vectors", 1000, 1000], ["search_memory", undefined, undefined]]
      )
    }))

  it.effect("a cost without a price, and tokens that a provider does not report, are not known", () =>
    Effect.gen(function*() {
      const of = `provider="test",model="vectors"`
      const reporting = model((values) => Promise.resolve(answer(values, { usage: { tokens: 5 } })))
      assert.sameMembers(yield* counted(reporting, ["a"]), [
        ...requests(of, "ok", 1),
        `svc_embedding_tokens_total{${of}} 5`
      ])
      for (const usage of [undefined, { tokens: Number.NaN }, { tokens: -1 }, { tokens: 1e300 }]) {
        const silent = model((values) => Promise.resolve(answer(values, usage === undefined ? {} : { usage })))
        assert.sameMembers(yield* counted(silent, ["a"]), requests(of, "ok", 1))
      }
    }))

  it.effect("a call counts once with its retries, as an error if the last one fails", () =>
    Effect.gen(function*() {
      const of = `provider="test",model="vectors"`
      let failures = 2
      const busy = model((values) => failures-- > 0 ? Promise.reject(failure(503)) : Promise.resolve(answer(values)))
      assert.sameMembers(yield* counted(busy, ["a"]), requests(of, "ok", 1))
      const refusing = model(() => Promise.reject(failure(400)))
      assert.sameMembers(yield* counted(refusing, ["a"]), requests(of, "error", 1))
    }))

  it.effect("an embedder of an author is one request for its texts, also if it calls another embedder", () =>
    Effect.gen(function*() {
      const inner = yield* Embedder.ofAiSdk(model((values) => Promise.resolve(answer(values))))
      const of = `provider="acme",model="own"`
      assert.sameMembers(yield* counted({ ...inner, id: "acme:own" }, ["a", "b", "c"]), requests(of, "ok", 1))
      const failing = { ...inner, id: "acme:own", embedMany: () => Effect.die("no") }
      assert.sameMembers(yield* counted(failing, ["a"]), requests(of, "error", 1))
    }))

  it.effect("the demo embedder counts with its name, and no texts are no request", () =>
    Effect.gen(function*() {
      const of = `provider="Demo",model="hashed-words"`
      assert.sameMembers(yield* counted(DemoEmbedder.embedder, ["a"]), requests(of, "ok", 1))
      assert.deepStrictEqual(yield* counted(model((values) => Promise.resolve(answer(values))), []), [])
    }))

  it.live("a named embedder has the name of its provider that requests to chats have", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiChat.make
      const body = { data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 4, total_tokens: 4 } }
      yield* server.script(Reply.raw(JSON.stringify(body)))
      const settings = { openaiApiKey: Redacted.make("key"), openaiBaseUrl: server.url }
      const of = `provider="OpenAI",model="text-embedding-3-small"`
      assert.sameMembers(yield* counted("openai:text-embedding-3-small", ["a"], undefined, settings), [
        ...requests(of, "ok", 1),
        `svc_embedding_tokens_total{${of}} 4`
      ])
    }))

  it.effect("a request that its caller waits for no longer counts as an error", () =>
    Effect.gen(function*() {
      const [instruments, sink] = [Instruments.make(), SpanSink.memory()]
      const { embedMany, ...embedder } = yield* Embedder.ofAiSdk(model(() => new Promise(() => {})))
      const embedding = OperationSpan.embeddings(embedMany(["a"]), embedder, 1)
      const waiting = ModelRequests.within(embedding, "20 seconds", () => Effect.fail("late"))
      // the inner time limit is longer
      const fiber = yield* ModelRequests.within(waiting, "10 seconds", () => Effect.fail("too late")).pipe(
        Effect.flip,
        Effect.provideService(Instruments.Instruments, instruments),
        Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })),
        Effect.forkChild({ startImmediately: true })
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "too late")
      assert.include(
        instruments.format(),
        `svc_model_requests_total{provider="test",model="vectors",outcome="error"} 1`
      )
      const [span] = sink.spans
      assert.deepStrictEqual([span?.name, span?.status, span?.attributes["error.type"]], [
        "embeddings vectors",
        "ERROR",
        "timeout"
      ])
    }))

  it.live("a request that was interrupted does not count", () =>
    Effect.gen(function*() {
      const [begun, instruments] = [yield* Deferred.make<void>(), Instruments.make()]
      const hanging = model(() => {
        Deferred.doneUnsafe(begun, Effect.void)
        return new Promise(() => {})
      })
      const { embedMany } = yield* Embedder.ofAiSdk(hanging)
      const asking = yield* Effect.forkChild(
        Effect.provideService(embedMany(["a"]), Instruments.Instruments, instruments)
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(asking)
      assert.notInclude(instruments.format(), "svc_model_requests_total{")
    }))
})
