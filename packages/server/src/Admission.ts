// Who may send requests to the service, and how callers prove who they are.
import { Layer } from "effect"
import type { Parts } from "./ApplicationOptions.ts"
import { AccessControl } from "./authorization/AccessControl.ts"
import * as Authentication from "./authorization/Authentication.ts"
import { originsOf } from "./middleware/Cors.ts"
import * as Protocols from "./Protocols.ts"
import * as WorkflowSocket from "./ws/WorkflowSocket.ts"

export const layer = (parts: Parts) =>
  AccessControl.layer({
    ...parts.access,
    protocols: Protocols.routesOf(parts.settings.protocols),
    sockets: WorkflowSocket.paths,
    origins: originsOf(parts.corsOrigins),
    hosts: parts.hosts,
    oauth: parts.settings.mcp.oauth
  }).pipe(Layer.provideMerge(
    Authentication.layer(parts.access, { settings: parts.settings.mcp.oauth, fetch: parts.fetch })
  ))
