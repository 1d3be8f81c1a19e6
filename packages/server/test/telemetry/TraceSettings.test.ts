import { assert, describe, it } from "@effect/vitest"
import { Config } from "@svc/server"
import { ConfigProvider, Duration, Effect, Redacted } from "effect"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.map(Effect.provide(Config, ConfigProvider.layer(ConfigProvider.fromUnknown(env))), ({ traces }) => traces)

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }

const trace = (last: string) => ({ traceId: last.padStart(32, "0"), parent: undefined })

describe("the variables of OpenTelemetry", () => {
  it.effect("spans are sent when there is an endpoint, and not otherwise", () =>
    Effect.gen(function*() {
      const none = { export: undefined }
      assert.deepInclude(yield* read({}), none)
      assert.deepInclude(yield* read({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }), none)
      assert.deepInclude(yield* read({ ...endpoint, OTEL_SDK_DISABLED: "true" }), none)
      assert.deepInclude(yield* read({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }), none)
      assert.strictEqual((yield* read(endpoint)).export?.url, "http://collector:4318/v1/traces")
      const own = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://other/traces" }
      assert.strictEqual((yield* read(own)).export?.url, "https://other/traces")
      const requested = yield* read({ OTEL_TRACES_EXPORTER: "otlp" })
      assert.strictEqual(requested.export?.url, "http://localhost:4318/v1/traces")
    }))

  it.effect("statements of the database have spans with TRACE_STORAGE only", () =>
    Effect.gen(function*() {
      assert.isFalse((yield* read(endpoint)).hasStatements)
      assert.isTrue((yield* read({ TRACE_STORAGE: "true" })).hasStatements)
    }))

  it.effect("the defaults are those of the specification, and content stays in the service", () =>
    Effect.gen(function*() {
      const { export: exporting, propagates, resource, sampler } = yield* read(endpoint)
      assert.deepInclude(exporting, {
        protocol: "http/protobuf",
        compression: "none",
        batchSize: 512,
        maxSpans: undefined,
        hasContent: false
      })
      assert.deepStrictEqual(
        [exporting?.timeout, exporting?.interval].map((duration) => Duration.toSeconds(duration ?? 0)),
        [10, 5]
      )
      assert.deepStrictEqual([propagates, resource], [true, { "service.name": "svc" }])
      assert.isTrue(sampler(trace("1")))
    }))

  it.effect("each variable of the traces goes before the one of all signals", () =>
    Effect.gen(function*() {
      const { export: exporting, propagates, resource, sampler } = yield* read({
        ...endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
        OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "3000",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20cGs6c2s%3D, x-one=1",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-one=2",
        OTEL_BSP_MAX_QUEUE_SIZE: "2048",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.5",
        OTEL_PROPAGATORS: "none",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,openinference.project.name=my%20project",
        OTEL_SERVICE_NAME: "mine"
      })
      assert.deepInclude(exporting, { protocol: "http/json", compression: "gzip", maxSpans: 2048, hasContent: true })
      assert.strictEqual(Duration.toSeconds(exporting?.timeout ?? 0), 3)
      const headers = exporting === undefined ? {} : Redacted.value(exporting.headers)
      assert.deepStrictEqual(headers, { authorization: "Basic cGs6c2s=", "x-one": "2" })
      assert.deepStrictEqual([propagates, resource], [false, {
        "service.name": "mine",
        "openinference.project.name": "my project"
      }])
      assert.deepStrictEqual([sampler(trace("1")), sampler(trace("f".repeat(14)))], [false, true])
    }))

  it.effect.each(
    [
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "Bearer abc"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "my%20header=x"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "Transfer-Encoding=chunked"],
      ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-one=1,x-two=a%0Ab"],
      ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-one=%E2%82%AC"],
      ["OTEL_TRACES_EXPORTER", "zipkin"],
      ["OTEL_TRACES_SAMPLER", "sometimes"],
      ["OTEL_TRACES_SAMPLER_ARG", "2"],
      ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"]
    ] as const
  )("%s=%s stops the start, and the error names the variable", ([name, value]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(read({ [name]: value }))
      assert.match(error.message, new RegExp(`^A setting cannot be read\\. .*${name}`))
    }))
})
