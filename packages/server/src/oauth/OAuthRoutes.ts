// All routes of OAuth for the MCP endpoint.
import { Effect, Layer } from "effect"
import { AccessControl } from "../authorization/AccessControl.ts"
import type { McpOAuth } from "../authorization/McpOAuth.ts"
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
