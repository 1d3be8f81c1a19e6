// The tracer of the service, with its sinks. Without a sink there is none, and spans cost nothing.
import * as SpanExporter from "@svc/telemetry/otlp/SpanExporter"
import { SpanTracer } from "@svc/telemetry/SpanTracer"
import { Duration, Effect, Layer, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { version } from "../version.ts"
import type { TraceSettings } from "./TraceSettings.ts"

/** How long the last spans may take to be sent when the service stops. */
const longestStop = Duration.seconds(5)

/** `node` is the name of this process. */
export const layer = (
  { export: exporting, propagates, resource, sampler }: TraceSettings,
  node: string
): Layer.Layer<never> => {
  if (exporting === undefined) return Layer.empty
  const { hasContent } = exporting
  const source = {
    scope: "@svc/telemetry",
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
  return Layer.effect(
    Tracer.Tracer,
    Effect.map(
      SpanExporter.make({ ...exporting, source, stopTimeout: Duration.min(exporting.timeout, longestStop) }),
      (exporter) => new SpanTracer({ sinks: [exporter], sampler, hasContent, propagates })
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))
}
