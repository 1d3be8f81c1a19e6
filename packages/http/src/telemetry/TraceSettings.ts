// The environment variables of OpenTelemetry that this service knows. Their values have the form of its specification.
import { defaultQueueBytes } from "@svc-runtime/telemetry/otlp/SpanQueue"
import * as Sampler from "@svc-runtime/telemetry/Sampler"
import { Config as Env, Duration, Redacted, Result } from "effect"
import { count, flagOr, text } from "../config/ConfigReaders.ts"
import * as TraceVariables from "./TraceVariables.ts"
import type { Pairs } from "./TraceVariables.ts"

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
  /** Sentences about variables whose values are ignored. */
  readonly warnings: ReadonlyArray<string>
}

const otlp = (name: string): readonly [string, string] => [
  `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  `OTEL_EXPORTER_OTLP_${name}`
]

const [tracesEndpoint, endpoint] = otlp("ENDPOINT")
const [tracesHeaders, headers] = otlp("HEADERS")

const names = [
  ...["ENDPOINT", "PROTOCOL", "HEADERS", "COMPRESSION", "TIMEOUT"].flatMap(otlp),
  "OTEL_BSP_SCHEDULE_DELAY",
  "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
  "OTEL_BSP_MAX_QUEUE_SIZE",
  "OTEL_SDK_DISABLED",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
  "OTEL_LOGS_EXPORTER",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "OTEL_PROPAGATORS",
  "OTEL_SERVICE_NAME",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
]

const protocols = TraceVariables.oneOf(["http/protobuf", "http/json"])

/** Collectors take grpc, the usual other value, at another port. */
const protocol = { ...protocols, expected: `${protocols.expected}, and an endpoint for HTTP, often with port 4318` }

type Variables = ReturnType<typeof TraceVariables.make>

const defaultEndpoint = "http://localhost:4318"

/** Of the specification, of which those with spans allow content. */
const contents = ["true", "false", "span_only", "span_and_event", "event_only", "no_content"] as const

const nothing = (reason: string): TraceVariables.Form<string> => ({
  ...TraceVariables.oneOf(["none"]),
  expected: `none (${reason})`
})

/** What else OpenTelemetry can send. */
const unsent = [
  ["OTEL_METRICS_EXPORTER", nothing("no metrics are sent: Prometheus reads GET /metrics/prometheus")],
  ["OTEL_LOGS_EXPORTER", nothing("no logs are sent: they go to standard error")]
] as const

/** What only the exporter needs is not read without it: many services can share the variables. */
const isSending = (variables: Variables): boolean => {
  if (variables.optional(TraceVariables.flag, "OTEL_SDK_DISABLED") === true) return false
  // for the warnings
  for (const [name, form] of unsent) variables.listOf(form, name)
  const exporters = variables.listOf(TraceVariables.oneOf(["otlp", "none"]), "OTEL_TRACES_EXPORTER")
  return exporters?.includes("otlp") ?? variables.has(tracesEndpoint, endpoint)
}

/** Values with which no span would arrive stop the start. */
const exportOf = (variables: Variables, maxBytes: number): TraceExport | undefined => {
  if (!isSending(variables)) return undefined
  const { optional, required } = variables
  const millis = (fallback: number, ...names: ReadonlyArray<string>) =>
    Duration.millis(optional(TraceVariables.count, ...names) ?? fallback)
  const content = optional(TraceVariables.oneOf(contents), "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
  return {
    url: required(TraceVariables.url, tracesEndpoint) ??
      `${(required(TraceVariables.url, endpoint) ?? defaultEndpoint).replace(/(?<!\/)\/+$/, "")}/v1/traces`,
    protocol: required(protocol, ...otlp("PROTOCOL")) ?? "http/protobuf",
    headers: Redacted.make({
      ...required(TraceVariables.headers, headers),
      ...required(TraceVariables.headers, tracesHeaders)
    }),
    compression: optional(TraceVariables.oneOf(["gzip", "none"]), ...otlp("COMPRESSION")) ?? "none",
    timeout: millis(10_000, ...otlp("TIMEOUT")),
    interval: millis(5000, "OTEL_BSP_SCHEDULE_DELAY"),
    batchSize: optional(TraceVariables.count, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE") ?? 512,
    maxBytes,
    maxSpans: optional(TraceVariables.count, "OTEL_BSP_MAX_QUEUE_SIZE"),
    hasContent: content === "true" || content === "span_only" || content === "span_and_event"
  }
}

const samplerOf = ({ optional }: Variables): Sampler.Sampler => {
  const name = optional(TraceVariables.oneOf(Sampler.Name.literals), "OTEL_TRACES_SAMPLER") ?? "parentbased_always_on"
  const hasRatio = name.endsWith("traceidratio")
  return Sampler.make(name, hasRatio ? optional(TraceVariables.ratio, "OTEL_TRACES_SAMPLER_ARG") : undefined)
}

/** Baggage needs no warning: it is part of the default of the specification. */
const propagator: TraceVariables.Form<string> = {
  ...TraceVariables.oneOf(["tracecontext", "baggage", "none"]),
  expected: "tracecontext or none"
}

/** The settings, or why the service cannot start with them. */
export const traceSettings: Env.Config<Result.Result<TraceSettings, string>> = Env.map(
  Env.all({
    values: Env.all(Object.fromEntries(names.map((name) => [name, text(name)]))),
    maxBytes: count("TRACE_QUEUE_MAX_BYTES", defaultQueueBytes),
    storage: flagOr("TRACE_STORAGE", false)
  }),
  ({ maxBytes, storage, values }) => {
    const variables = TraceVariables.make(values)
    const exporting = exportOf(variables, maxBytes)
    const [problem] = variables.problems
    if (problem !== undefined) {
      return Result.fail(
        `A setting cannot be read. ${problem}. Or set OTEL_TRACES_EXPORTER=none, so that no spans are sent`
      )
    }
    const resource = variables.optional(TraceVariables.pairs, "OTEL_RESOURCE_ATTRIBUTES") ?? {}
    return Result.succeed({
      export: exporting,
      sampler: samplerOf(variables),
      propagates: variables.listOf(propagator, "OTEL_PROPAGATORS")?.includes("tracecontext") ?? true,
      hasStatements: storage,
      resource: { ...resource, "service.name": values["OTEL_SERVICE_NAME"] ?? resource["service.name"] ?? "svc" },
      warnings: variables.warnings
    })
  }
)
