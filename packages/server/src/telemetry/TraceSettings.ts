// The environment variables of OpenTelemetry that this service knows. Their values have the form of its specification.
import { defaultQueueBytes } from "@svc/telemetry/otlp/SpanQueue"
import * as Sampler from "@svc/telemetry/Sampler"
import { Config as Env, Duration, Option, Redacted, Result, Schema } from "effect"
import { count, flagOr, limit, list, text } from "../config/ConfigReaders.ts"

type Pairs = Readonly<Record<string, string>>

export interface TraceExport {
  /** Of the traces: with `/v1/traces`. */
  readonly url: string
  readonly protocol: "http/protobuf" | "http/json"
  readonly headers: Redacted.Redacted<Pairs>
  readonly compression: "gzip" | "none"
  readonly timeout: Duration.Duration
  readonly interval: Duration.Duration
  readonly batchSize: number
  readonly maxBytes: number
  readonly maxSpans: number | undefined
  /** Whether prompts, answers, arguments and results are sent. */
  readonly hasContent: boolean
}

export interface TraceSettings {
  /** Undefined: spans are not sent. */
  readonly export: TraceExport | undefined
  readonly sampler: Sampler.Sampler
  /** Whether requests continue the traces of callers, and requests to servers that authors name have a context. */
  readonly propagates: boolean
  /** Whether statements of the database have spans. */
  readonly hasStatements: boolean
  /** Attributes of the service. */
  readonly resource: Pairs
}

const pairOf = (entry: string): readonly [string, string] | undefined => {
  const at = entry.indexOf("=")
  if (at <= 0) return undefined
  const decoded = Result.try(() =>
    [entry.slice(0, at), entry.slice(at + 1)].map((part) => decodeURIComponent(part.trim()))
  )
  return Result.isSuccess(decoded) ? [decoded.success[0] ?? "", decoded.success[1] ?? ""] : undefined
}

const entriesOf = (value: string) => value.split(",").filter((entry) => entry.trim() !== "").map(pairOf)

const Pairs = Schema.String.check(
  Schema.makeFilter((value) => !entriesOf(value).includes(undefined), {
    expected: "pairs such as key1=value1,key2=value2, with % for special characters"
  })
)

/** Headers of the connection and of the body are set by the exporter. */
const reserved =
  /^(?:connection|content-(?:encoding|length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

/** With any others, no request could be made. */
const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[a-z0-9!#$%&'*+.^_`|~-]+$/i.test(name) && !reserved.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const Headers = Pairs.check(
  Schema.makeFilter((value) => entriesOf(value).every((pair) => pair !== undefined && isHeader(pair)), {
    expected: "names and values that headers can have, such as authorization=Basic%20cGs6c2s="
  })
)

const pairs = (name: string, schema = Pairs) =>
  Env.map(
    Env.option(Env.schema(schema, name)),
    (value): Pairs =>
      Object.fromEntries(
        entriesOf(Option.getOrElse(value, () => "")).flatMap((pair) => pair === undefined ? [] : [pair])
      )
  )

/** The variable of the traces, or the one of all signals. An empty one counts as unset. */
const choice = <S extends Schema.Codec<unknown, string>>(schema: S, ...names: ReadonlyArray<string>) =>
  Env.map(
    Env.all(names.map((name) => Env.option(Env.schema(Schema.Union([schema, Schema.Literal("")]), name)))),
    (found): S["Type"] | undefined =>
      found.flatMap((value) => Option.isSome(value) && value.value !== "" ? [value.value as S["Type"]] : [])[0]
  )

const otlp = (name: string): readonly [string, string] => [
  `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  `OTEL_EXPORTER_OTLP_${name}`
]

const Url = Schema.String.check(
  Schema.makeFilter((url) => /^https?:\/\//.test(url) && URL.canParse(url), {
    expected: "a URL with http or https, such as http://localhost:4318"
  })
)

const Protocol = Schema.Literals(["http/protobuf", "http/json"])

const Exporter = Schema.Literals(["otlp", "none"])

const Ratio = Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const isTrue = (value: string | undefined): boolean => value?.trim().toLowerCase() === "true"

/** The values of the conventions, of which those with spans allow content. */
const hasContent = (value: string | undefined): boolean =>
  isTrue(value) || ["SPAN_ONLY", "SPAN_AND_EVENT"].includes(value?.trim().toUpperCase() ?? "")

const defaultEndpoint = "http://localhost:4318"

const variables = Env.all({
  isDisabled: Env.map(text("OTEL_SDK_DISABLED"), isTrue),
  exporter: choice(Exporter, "OTEL_TRACES_EXPORTER"),
  tracesEndpoint: choice(Url, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
  endpoint: choice(Url, "OTEL_EXPORTER_OTLP_ENDPOINT"),
  protocol: choice(Protocol, ...otlp("PROTOCOL")),
  headers: pairs("OTEL_EXPORTER_OTLP_HEADERS", Headers),
  tracesHeaders: pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS", Headers),
  compression: choice(Schema.Literals(["gzip", "none"]), ...otlp("COMPRESSION")),
  tracesTimeout: limit("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"),
  timeout: count("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
  interval: count("OTEL_BSP_SCHEDULE_DELAY", 5000),
  batchSize: count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
  maxSpans: limit("OTEL_BSP_MAX_QUEUE_SIZE"),
  maxBytes: count("TRACE_QUEUE_MAX_BYTES", defaultQueueBytes),
  content: text("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
  sampler: choice(Sampler.Name, "OTEL_TRACES_SAMPLER"),
  ratio: choice(Ratio, "OTEL_TRACES_SAMPLER_ARG"),
  propagators: list("OTEL_PROPAGATORS"),
  storage: flagOr("TRACE_STORAGE", false),
  serviceName: text("OTEL_SERVICE_NAME"),
  resource: pairs("OTEL_RESOURCE_ATTRIBUTES")
})

type Variables = Env.Success<typeof variables>

const exportOf = (values: Variables): TraceExport | undefined => {
  const { endpoint, exporter, tracesEndpoint } = values
  if (values.isDisabled || exporter === "none") return undefined
  if (exporter === undefined && endpoint === undefined && tracesEndpoint === undefined) return undefined
  return {
    url: tracesEndpoint ?? `${(endpoint ?? defaultEndpoint).replace(/\/+$/, "")}/v1/traces`,
    protocol: values.protocol ?? "http/protobuf",
    headers: Redacted.make({ ...values.headers, ...values.tracesHeaders }),
    compression: values.compression ?? "none",
    timeout: Duration.millis(values.tracesTimeout ?? values.timeout),
    interval: Duration.millis(values.interval),
    batchSize: values.batchSize,
    maxBytes: values.maxBytes,
    maxSpans: values.maxSpans,
    hasContent: hasContent(values.content)
  }
}

export const traceSettings: Env.Config<TraceSettings> = Env.map(variables, (values) => {
  const { propagators, ratio, resource, sampler, serviceName } = values
  return {
    export: exportOf(values),
    sampler: Sampler.make(sampler ?? "parentbased_always_on", ratio),
    propagates: propagators.length === 0 || propagators.includes("tracecontext"),
    hasStatements: values.storage,
    resource: { ...resource, "service.name": serviceName ?? resource["service.name"] ?? "svc" }
  }
})
