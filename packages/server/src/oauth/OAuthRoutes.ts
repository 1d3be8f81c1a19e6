// All routes of OAuth for the MCP endpoint.
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import type { McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import { Effect, Layer } from "effect"
import * as AuthorizeRoute from "./AuthorizeRoute.ts"
import * as ConsentRoutes from "./ConsentRoutes.ts"
import * as MetadataRoutes from "./MetadataRoutes.ts"
import * as TokenRoutes from "./TokenRoutes.ts"

const authorize = (oauth: McpOAuth) =>
  Layer.unwrap(Effect.map(AccessControl, ({ settings }) => AuthorizeRoute.layer(oauth, settings.adminScope)))

export const layer = (oauth: McpOAuth) =>
  oauth.server._tag === "External"
    ? MetadataRoutes.layer(oauth)
    : Layer.mergeAll(
      MetadataRoutes.layer(oauth),
      TokenRoutes.layer(oauth),
      authorize(oauth),
      ConsentRoutes.layer(oauth)
    )
