// What a service says of itself.
import { Service } from "@svc/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequiredScope } from "./RequiredScope.ts"

export class System extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("root", "/", { success: Service.Root })
      .annotate(RequiredScope, "none")
      .annotate(OpenApi.Identifier, "get_root"),
    HttpApiEndpoint.get("health", "/health", { success: Service.Health })
      .annotate(RequiredScope, "none")
      .annotate(OpenApi.Identifier, "health"),
    HttpApiEndpoint.get("info", "/info", { success: Service.Info })
      .annotate(RequiredScope, "none")
      .annotate(OpenApi.Identifier, "get_info"),
    HttpApiEndpoint.get("config", "/config", { success: Service.Config })
      .annotate(RequiredScope, "config:read")
      .annotate(OpenApi.Identifier, "get_config"),
    HttpApiEndpoint.get("models", "/models", { success: Schema.Array(Service.Model) })
      .annotate(RequiredScope, "config:read")
      .annotate(OpenApi.Identifier, "get_models")
  )
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, discovery and configuration" }))
{}
