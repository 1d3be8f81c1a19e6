// Who may send requests to the service, and how callers prove who they are.
import { RunScopes } from "@svc-runtime/agents/runService/RunPermission"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Features from "@svc-runtime/features/features"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import * as Authentication from "@svc-runtime/http/authorization/Authentication"
import * as ScopeTable from "@svc-runtime/http/authorization/ScopeTable"
import { Layer } from "effect"
import * as ConsoleRoutes from "../console/ConsoleRoutes.ts"
import * as Protocols from "../Protocols.ts"
import { toScoped } from "../routes/DeclaredRoute.ts"
import * as WorkflowSocket from "../ws/WorkflowSocket.ts"
import { originsOf, type Parts } from "./ApplicationOptions.ts"

/** One list for all services without routes of their own: they share a scope table. */
const scopedOf = ({ routes, settings }: Parts) => {
  const protocols = Protocols.routesOf(settings.protocols)
  return routes.length === 0
    ? protocols
    : [...protocols, ...routes.flatMap(({ declared }) => declared.flatMap(toScoped))]
}

/** What routes need, for what acts later. A mapping of the route of runs holds for every other way to start them. */
export const scopes = (parts: Parts) => {
  const table = ScopeTable.make(Features.apiOf(parts.features), parts.access.mappings, scopedOf(parts))
  return Layer.merge(
    Layer.succeed(ScopeTable.ScopeTable, table),
    Layer.succeed(RunScopes, ({ id, kind }) => {
      const path = `/${ComponentKind.descriptions[kind].resource}/${encodeURIComponent(id)}/runs`
      return table.requirement("POST", path)?.scopes ?? []
    })
  )
}

const accessOf = ({ access, features, routes }: Parts) => ({
  ...access,
  resources: ScopeTable.resourcesOf(Features.apiOf(features)),
  routeScopes: routes.flatMap(({ declared }) => declared.flatMap(({ scope }) => scope ?? []))
})

export const layer = (parts: Parts) =>
  AccessControl.layer({
    ...parts.access,
    api: Features.apiOf(parts.features),
    excludedRoutes: parts.settings.console
      ? [...parts.access.excludedRoutes, ...ConsoleRoutes.paths]
      : parts.access.excludedRoutes,
    protocols: scopedOf(parts),
    sockets: WorkflowSocket.paths,
    origins: originsOf(parts),
    hosts: parts.hosts,
    oauth: parts.settings.mcp.oauth
  }).pipe(Layer.provideMerge(
    Authentication.layer(accessOf(parts), { settings: parts.settings.mcp.oauth, fetch: parts.fetch })
  ))
