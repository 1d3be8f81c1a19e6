// The tracer of the service, with its sinks. Without a sink there is none, and spans cost nothing.
import type { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import type { TraceSettings } from "@svc-runtime/http/telemetry/TraceSettings"
import { version } from "@svc-runtime/http/version"
import * as SpanExporter from "@svc-runtime/telemetry/otlp/SpanExporter"
import type { SpanSink } from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import { Duration, Effect, Layer, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"

/** How long the last spans may take to be sent when the service stops. */
const maxStopTime = Duration.seconds(5)

const exporterOf = (
  { hasContent, ...exporting }: NonNullable<TraceSettings["export"]>,
  resource: TraceSettings["resource"],
  node: string
) => {
  const source = {
    scope: "@svc-runtime/telemetry",
    version,
    hasContent,
    resource: {
      "service.version": version,
      "service.instance.id": node,
      "telemetry.sdk.name": "svc",
      "telemetry.sdk.language": "nodejs",
      "telemetry.sdk.version": version,
      ...resource
    }
  }
  return SpanExporter.make({ ...exporting, source, stopTimeout: Duration.min(exporting.timeout, maxStopTime) })
}

/** `node` is the name of this process. `stored` has the spans for the database. */
export const layer = (
  { export: exporting, hasStatements, propagates, resource, sampler }: TraceSettings,
  node: string,
  stored: TraceBuffer | undefined
): Layer.Layer<never> => {
  const own = stored === undefined ? [] : [stored]
  const hasContent = exporting?.hasContent === true || stored?.hasContent === true
  const tracer = (sinks: ReadonlyArray<SpanSink>) =>
    new SpanTracer({ sinks, sampler, hasContent, hasStatements, propagates })
  if (exporting === undefined) return stored === undefined ? Layer.empty : Layer.succeed(Tracer.Tracer, tracer(own))
  return Layer.effect(
    Tracer.Tracer,
    Effect.map(exporterOf(exporting, resource, node), (exporter) => tracer([exporter, ...own]))
  ).pipe(Layer.provide(FetchHttpClient.layer))
}
