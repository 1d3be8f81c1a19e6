import { assert, describe, it } from "@effect/vitest"
import { Config } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { ConfigProvider, Duration, Effect, Redacted } from "effect"
import { inspect } from "node:util"

Tier.oneIn(2)

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

  it.effect("a service that is asked to send metrics or logs says that it sends none, and where they are", () =>
    Effect.gen(function*() {
      const exporters = { OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp,console" }
      const { warnings } = yield* read(exporters)
      assert.deepStrictEqual(warnings, [
        "OTEL_METRICS_EXPORTER=otlp is not supported and is ignored. Set it to none (no metrics are sent: Prometheus " +
        "reads GET /metrics/prometheus), or unset it",
        "OTEL_LOGS_EXPORTER=otlp is not supported and is ignored. Set it to none (no logs are sent: they go to standard " +
        "error), or unset it",
        "OTEL_LOGS_EXPORTER=console is not supported and is ignored. Set it to none (no logs are sent: they go to " +
        "standard error), or unset it"
      ])
      assert.deepStrictEqual((yield* read({ ...exporters, OTEL_SDK_DISABLED: "true" })).warnings, [])
      const none = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }
      assert.deepStrictEqual((yield* read(none)).warnings, [])
      assert.lengthOf((yield* read({ OTEL_SDK_DISABLED: "perhaps" })).warnings, 1)
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

  it.effect("values are read in any case, and an empty one counts as unset", () =>
    Effect.gen(function*() {
      const { export: exporting, warnings } = yield* read({
        ...endpoint,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: " HTTP/JSON ",
        OTEL_EXPORTER_OTLP_COMPRESSION: "GZIP",
        OTEL_TRACES_EXPORTER: "OTLP",
        OTEL_TRACES_SAMPLER: "Always_On",
        OTEL_BSP_MAX_QUEUE_SIZE: "",
        OTEL_SDK_DISABLED: "False"
      })
      assert.deepInclude(exporting, { protocol: "http/json", compression: "gzip", maxSpans: undefined })
      assert.deepStrictEqual(warnings, [])
      assert.isUndefined((yield* read({ ...endpoint, OTEL_TRACES_EXPORTER: "None" })).export)
      assert.isUndefined((yield* read({ ...endpoint, OTEL_SDK_DISABLED: "TRUE" })).export)
    }))

  it.effect("a list has the values that are supported, and baggage needs no warning", () =>
    Effect.gen(function*() {
      const both = yield* read({
        ...endpoint,
        OTEL_TRACES_EXPORTER: "console, otlp",
        OTEL_PROPAGATORS: "b3,tracecontext"
      })
      assert.isDefined(both.export)
      assert.isTrue(both.propagates)
      assert.deepStrictEqual(both.warnings, [
        "OTEL_TRACES_EXPORTER=console is not supported and is ignored. Set it to otlp or none, or unset it",
        "OTEL_PROPAGATORS=b3 is not supported and is ignored. Set it to tracecontext or none, or unset it"
      ])
      for (
        const [value, propagates] of [["tracecontext,baggage", true], ["baggage", false], ["none", false]] as const
      ) {
        assert.deepInclude(yield* read({ OTEL_PROPAGATORS: value }), { propagates, warnings: [] })
      }
    }))

  it.effect.each(
    [
      ["OTEL_TRACES_EXPORTER", "console"],
      ["OTEL_SDK_DISABLED", "yes"],
      ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"],
      ["OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd"],
      ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
      ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "-1"],
      ["OTEL_BSP_SCHEDULE_DELAY", "5s"],
      ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0"],
      ["OTEL_BSP_MAX_QUEUE_SIZE", "many"],
      ["OTEL_TRACES_SAMPLER", "xray"],
      ["OTEL_TRACES_SAMPLER", "parentbased_jaeger_remote"],
      ["OTEL_PROPAGATORS", "b3"],
      ["OTEL_RESOURCE_ATTRIBUTES", "team"],
      ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "all"]
    ] as const
  )("%s=%s is ignored, and a warning says what to set", ([name, value]) =>
    Effect.gen(function*() {
      const { warnings, ...settings } = yield* read({ ...endpoint, [name]: value })
      const { warnings: none, ...unset } = yield* read(endpoint)
      assert.strictEqual(inspect(settings, { depth: null }), inspect(unset, { depth: null }))
      assert.deepStrictEqual(none, [])
      assert.isTrue(settings.sampler(trace("1")))
      assert.lengthOf(warnings, 1)
      const start = `${name}=${value} is not supported and is ignored. Set it to `
      assert.isTrue(warnings[0]?.startsWith(start), warnings[0])
      assert.isTrue(warnings[0]?.endsWith(", or unset it"), warnings[0])
    }))

  it.effect("a ratio that is not supported counts as 1, and is only read for a sampler with a ratio", () =>
    Effect.gen(function*() {
      for (const value of ["foo", "2"]) {
        const ratio = yield* read({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: value })
        assert.isTrue(ratio.sampler(trace("1")))
        assert.deepStrictEqual(ratio.warnings, [
          `OTEL_TRACES_SAMPLER_ARG=${value} is not supported and is ignored. Set it to a number from 0 to 1, or unset it`
        ])
      }
      assert.deepStrictEqual((yield* read({ OTEL_TRACES_SAMPLER_ARG: "foo" })).warnings, [])
      const remote = {
        OTEL_TRACES_SAMPLER: "jaeger_remote",
        OTEL_TRACES_SAMPLER_ARG: "endpoint=http://localhost:14250"
      }
      assert.lengthOf((yield* read(remote)).warnings, 1)
    }))

  it.effect("the value of a secret is not in a warning", () =>
    Effect.gen(function*() {
      const { warnings } = yield* read({ OTEL_RESOURCE_ATTRIBUTES: "api_key:sk-ant-api03-0123456789abcdef0123456789" })
      assert.lengthOf(warnings, 1)
      assert.notInclude(warnings[0], "0123456789")
    }))

  it.effect.each(
    [
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "expected http/protobuf or http/json"],
      ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "expected http/protobuf or http/json"],
      ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318", "expected a URL with http or https"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "Bearer abc", "expected names and values that headers can have"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "my%20header=x", "expected names and values"],
      ["OTEL_EXPORTER_OTLP_HEADERS", "Transfer-Encoding=chunked", "expected names and values"],
      ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-one=1,x-two=a%0Ab", "expected names and values"],
      ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-one=%E2%82%AC", "expected names and values"]
    ] as const
  )(
    "%s=%s would lose all spans: it stops the start, and the error says what to do",
    ([name, value, expected]) =>
      Effect.gen(function*() {
        const { message } = yield* Effect.flip(read({ ...endpoint, [name]: value }))
        assert.isTrue(message.startsWith(`A setting cannot be read. ${name}`), message)
        assert.include(message, expected)
        assert.isTrue(message.endsWith(". Or set OTEL_TRACES_EXPORTER=none, so that no spans are sent"), message)
      })
  )

  it.effect("the endpoint of all signals has the form of a URL too", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }))
      assert.include(message, "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317: expected a URL with http or https")
    }))

  it.effect.each(
    [
      ["OTEL_SDK_DISABLED=true", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317", OTEL_SDK_DISABLED: "true" }],
      ["OTEL_TRACES_EXPORTER=none", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317", OTEL_TRACES_EXPORTER: "none" }],
      ["no endpoint", {}]
    ] as const
  )("what only an exporter needs is not read with %s", ([, env]) =>
    Effect.gen(function*() {
      const settings = yield* read({
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_HEADERS: "Bearer abc",
        OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
        OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
        OTEL_BSP_SCHEDULE_DELAY: "5s",
        ...env
      })
      assert.deepInclude(settings, { export: undefined, warnings: [] })
    }))

  it.effect("the sampler and the propagators apply to stored traces, and are read without an exporter too", () =>
    Effect.gen(function*() {
      const { warnings } = yield* read({
        OTEL_SDK_DISABLED: "true",
        OTEL_TRACES_EXPORTER: "zipkin",
        OTEL_TRACES_SAMPLER: "xray",
        OTEL_PROPAGATORS: "xray"
      })
      assert.deepStrictEqual(warnings.map((warning) => warning.split("=")[0]), [
        "OTEL_TRACES_SAMPLER",
        "OTEL_PROPAGATORS"
      ])
    }))

  it.effect("a variable of all signals is not read if the one of the traces is set", () =>
    Effect.gen(function*() {
      const { export: exporting, warnings } = yield* read({
        OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces",
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
        OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip"
      })
      assert.deepInclude(exporting, {
        url: "http://collector:4318/v1/traces",
        protocol: "http/json",
        compression: "gzip"
      })
      assert.deepStrictEqual(warnings, [])
    }))
})
