// Who may send requests to the service, and how callers prove who they are.
import { type Operation, RunScopes } from "@svc-runtime/agents/runService/RunPermission"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Features from "@svc-runtime/features/features"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import * as Authentication from "@svc-runtime/http/authorization/Authentication"
import * as ScopeTable from "@svc-runtime/http/authorization/ScopeTable"
import { Layer, Record } from "effect"
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

/** The route of each operation, for a kind of components. */
const routesOf = ({ resource }: (typeof ComponentKind.descriptions)[ComponentKind.ComponentKind], id: string) => {
  const component = `/${resource}/:${id}`
  const runs = `${component}/runs`
  return {
    describe: `GET ${component}`,
    start: `POST ${runs}`,
    continue: `POST ${runs}/:run_id/continue`,
    cancel: `POST ${runs}/:run_id/cancel`,
    get: `GET ${runs}/:run_id`,
    list: `GET ${runs}`,
    watch: `GET ${runs}/:run_id/events`,
    approve: "POST /approvals/:approval_id/resolve"
  } satisfies Record<Operation, string>
}

const unscoped: ReadonlyArray<string> = []
/** Each run asks: it costs nothing without mappings. */
const withoutMappings = () => unscoped

const runScopes = (table: ScopeTable.ScopeTable["Service"]): RunScopes["Service"] => {
  const byKind = Record.map(ComponentKind.descriptions, (description, kind) => {
    const parameter = `${kind}_id`
    const mapped = Record.map(routesOf(description, parameter), (route) => table.ofEndpoint(route).mapped)
    return { parameter, mapped }
  })
  return (operation, { id, kind }) => {
    const { mapped, parameter } = byKind[kind]
    return mapped[operation]({ [parameter]: id })
  }
}

/** What routes need, for every other way to do the same, and for what acts later. */
export const scopes = (parts: Parts) => {
  const table = ScopeTable.make(Features.apiOf(parts.features), parts.access.mappings, scopedOf(parts))
  return Layer.merge(
    Layer.succeed(ScopeTable.ScopeTable, table),
    Layer.succeed(RunScopes, parts.access.mappings.length === 0 ? withoutMappings : runScopes(table))
  )
}

/** With the scopes that exist in the service. */
const accessOf = ({ access, features, routes }: Parts) => ({
  ...access,
  resources: ScopeTable.resourcesOf(Features.apiOf(features)),
  routeScopes: routes.flatMap(({ declared }) => declared.flatMap(({ scope }) => scope ?? []))
})

/** Why roles of code or of groups cannot be used. */
export const problemOfRoles = (parts: Parts): string | undefined =>
  Authentication.problemOfRoles(accessOf(parts), parts.features.some(({ name }) => name === "roles"))

/** Platforms sign their requests, which have no credential of the service. */
const ofChannels = "/channels/*/events"

const excludedOf = ({ access: { excludedRoutes }, features, settings }: Parts): ReadonlyArray<string> => [
  ...excludedRoutes,
  ...(settings.console ? ConsoleRoutes.paths : []),
  ...(features.some(({ name }) => name === "channels") ? [ofChannels] : [])
]

export const layer = (parts: Parts) =>
  AccessControl.layer({
    ...parts.access,
    api: Features.apiOf(parts.features),
    excludedRoutes: excludedOf(parts),
    protocols: scopedOf(parts),
    sockets: WorkflowSocket.paths,
    origins: originsOf(parts),
    hosts: parts.hosts,
    oauth: parts.settings.mcp.oauth
  }).pipe(Layer.provideMerge(
    Authentication.layer(accessOf(parts), { settings: parts.settings.mcp.oauth, fetch: parts.fetch })
  ))
