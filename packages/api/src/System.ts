// The endpoints with which the service describes itself.
import * as Node from "@svc-runtime/domain/Node"
import * as Service from "@svc-runtime/domain/Service"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import * as Errors from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { requires, requiresCaller } from "./RequiredScope.ts"
import { RespondsInOutage } from "./RespondsInOutage.ts"

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
      .annotate(RespondsInOutage, true)
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, discovery and configuration" }))
{}

export const texts: Texts = {
  operations: {
    get_root: {
      method: "root",
      summary: "Get the name of the service",
      description: "Returns name and version. A browser gets a page."
    },
    health: {
      method: "health",
      summary: "Check that the process is running",
      description:
        "Responds as long as the process runs, also without its database. For the state of the service, see `/ready`."
    },
    ready: {
      method: "ready",
      summary: "Check that the service accepts work",
      description:
        "Responds with 503 and reasons while the database is away, migrations are executed, or the node is stopping."
    },
    get_info: {
      method: "info",
      summary: "Get what the service is",
      description: "Returns versions, numbers of components and how requests are authorized. It needs no credential."
    },
    get_caller: {
      method: "caller",
      summary: "Get who the caller is",
      description: "Returns the user and the scopes of the credential, so that a page offers what it allows."
    },
    get_config: {
      method: "config",
      summary: "Get the configuration",
      description: "Returns components, databases, models and protocols, as a page for people needs them."
    },
    get_models: {
      method: "models",
      summary: "List the models",
      description: "Returns the models that components of the service use."
    },
    get_nodes: {
      method: "nodes",
      summary: "List the nodes of each database",
      description: "Returns the nodes that share each database, whether they are alive, and how many runs they have."
    },
    get_prometheus_metrics: {
      method: "prometheusMetrics",
      summary: "Get the metrics for Prometheus",
      description: "Returns the metrics of this node in the text format of Prometheus."
    }
  }
}
