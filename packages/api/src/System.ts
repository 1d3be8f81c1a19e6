// What the service reports about itself.
import * as Node from "@svc/domain/Node"
import * as Service from "@svc/domain/Service"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Errors from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { requires, requiresCaller } from "./RequiredScope.ts"

/** The text format of Prometheus. */
const PrometheusText = Schema.String.pipe(
  HttpApiSchema.asText({ contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

export class System extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("root", "/", { success: Service.Root })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "get_root"),
    HttpApiEndpoint.get("health", "/health", { success: Service.Health })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "health"),
    HttpApiEndpoint.get("ready", "/ready", { success: Service.Ready, error: Errors.NotReady })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "ready"),
    HttpApiEndpoint.get("info", "/info", { success: Service.Info })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "get_info"),
    HttpApiEndpoint.get("caller", "/caller", { success: Service.Caller })
      .annotateMerge(requiresCaller)
      .annotate(OpenApi.Identifier, "get_caller"),
    HttpApiEndpoint.get("config", "/config", { success: Service.Config })
      .annotateMerge(requires("config:read"))
      .annotate(OpenApi.Identifier, "get_config"),
    HttpApiEndpoint.get("models", "/models", { success: Schema.Array(Service.Model) })
      .annotateMerge(requires("config:read"))
      .annotate(OpenApi.Identifier, "get_models"),
    HttpApiEndpoint.get("nodes", "/nodes", { success: Schema.Array(Node.DatabaseNodes), error: Errors.Forbidden })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_nodes"),
    HttpApiEndpoint.get("prometheus", "/metrics/prometheus", { success: PrometheusText, error: Errors.Forbidden })
      .annotateMerge(requires("metrics:read"))
      .annotate(OpenApi.Identifier, "get_prometheus_metrics")
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, discovery and configuration" }))
{}
