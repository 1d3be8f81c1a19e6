// The routes of A2A, with their scopes. A body of JSON-RPC decides which scope it needs, and so does the end of a path
// such as `/tasks/{id}:cancel`, which the router takes for an id.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import { split } from "@svc-runtime/http/authorization/RoutePattern"

export const kinds = ComponentKind.ComponentKind.literals

type Method = ProtocolRoute["method"]
type Action = "read" | "run" | "handler"

/** Below the address of a component, in both versions. */
export const rest = [
  ["POST", "message::send", "run"],
  ["POST", "message::stream", "run"],
  ["GET", "tasks", "read"],
  ["GET", "tasks/:task", "read"],
  ["POST", "tasks/:task", "handler"],
  ["GET", "tasks/:task/pushNotificationConfigs", "read"],
  ["POST", "tasks/:task/pushNotificationConfigs", "run"],
  ["GET", "tasks/:task/pushNotificationConfigs/:config", "read"],
  ["DELETE", "tasks/:task/pushNotificationConfigs/:config", "run"]
] as const satisfies ReadonlyArray<readonly [Method, string, Action]>

export type RestPath = (typeof rest)[number][1]

/** Where each route is below the address of a component. */
const below: ReadonlyArray<readonly [Method, string, Action]> = [
  ["GET", ".well-known/agent-card.json", "read"],
  ...rest,
  ["GET", "extendedAgentCard", "read"],
  ...rest.map(([method, path, action]) => [method, `v1/${path}`, action] as const),
  ["GET", "v1/card", "read"]
]

const contractTasks = [
  ["POST", "v1/tasks::get", "read", "get"],
  ["POST", "v1/tasks::cancel", "run", "cancel"]
] as const

/** The paths of the contract for tasks, each with what it does. */
export const contractTasksOf = (kind: ComponentKind.ComponentKind) =>
  ComponentKind.descriptions[kind].hasContractTasks ? contractTasks : []

export const addressOf = (prefix: string, kind: ComponentKind.ComponentKind): `/${string}` =>
  `${prefix}/${ComponentKind.descriptions[kind].resource}/:id` as `/${string}`

const ofKind = (prefix: string, kind: ComponentKind.ComponentKind): ReadonlyArray<ProtocolRoute> => {
  const { resource } = ComponentKind.descriptions[kind]
  const address = addressOf(prefix, kind)
  const depth = split(prefix).length
  const rpc: ProtocolRoute = { method: "POST", path: address, scopes: [], depth }
  return [
    rpc,
    ...[...below, ...contractTasksOf(kind)].map(([method, path, action]): ProtocolRoute => ({
      method,
      path: `${address}/${path}`,
      scopes: action === "handler" ? [] : [`${resource}:${action}`],
      depth
    }))
  ]
}

const known = new Map<string, ReadonlyArray<ProtocolRoute>>()

/** The same list for the same prefix. */
export const routesOf = (prefix: string): ReadonlyArray<ProtocolRoute> => {
  const routes = known.get(prefix) ?? [
    ...kinds.flatMap((kind) => ofKind(prefix, kind)),
    ...["send", "stream"].map((name): ProtocolRoute => ({
      method: "POST",
      path: `${prefix}/message/${name}` as `/${string}`,
      scopes: ["agents:run"],
      // the body names the component
      depth: Number.MAX_SAFE_INTEGER
    }))
  ]
  known.set(prefix, routes)
  return routes
}
