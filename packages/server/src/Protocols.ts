// The protocols beside the HTTP API: their routes with the scopes of these, and the layers that serve them.
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import { Forms } from "@svc-runtime/http/forms/Forms"
import type { Protocols } from "@svc-runtime/http/Settings"
import { Layer } from "effect"
import * as A2aPaths from "./a2a/A2aPaths.ts"
import * as A2aRoutes from "./a2a/A2aRoutes.ts"
import * as AgUiRoutes from "./agui/AgUiRoutes.ts"
import * as CopilotKitRoutes from "./agui/CopilotKitRoutes.ts"
import * as ChatRoutes from "./chat/ChatRoutes.ts"
import * as OpenAiRoutes from "./openai/OpenAiRoutes.ts"

const known = new WeakMap<Protocols, ReadonlyArray<ProtocolRoute>>()

/** The same list for the same settings. A protocol that is off has no routes, except those of the contract. */
export const routesOf = (protocols: Protocols): ReadonlyArray<ProtocolRoute> => {
  const routes = known.get(protocols) ?? [
    ...A2aPaths.routesOf(protocols.a2a.prefix),
    ...(protocols.agui.enabled ? AgUiRoutes.routesOf(protocols.agui) : []),
    ...(protocols.chat.enabled ? ChatRoutes.routes : []),
    ...(protocols.copilotkit.enabled ? CopilotKitRoutes.routesOf(protocols.copilotkit.prefix) : []),
    ...(protocols.openai.enabled ? OpenAiRoutes.routesOf(protocols.openai.prefix) : [])
  ]
  known.set(protocols, routes)
  return routes
}

const servedIn = new WeakMap<Protocols, ReadonlyArray<ProtocolRoute>>()

/** Without the routes of protocols that are off. */
export const servedOf = (protocols: Protocols): ReadonlyArray<ProtocolRoute> => {
  const all = routesOf(protocols)
  const off = protocols.a2a.enabled ? [] : A2aPaths.routesOf(protocols.a2a.prefix)
  const served = servedIn.get(protocols) ?? all.filter((route) => !off.includes(route))
  servedIn.set(protocols, served)
  return served
}

export const layer = ({ a2a, agui, chat, copilotkit, openai }: Protocols) =>
  Layer.mergeAll(
    a2a.enabled ? A2aRoutes.layer : Layer.empty,
    agui.enabled ? AgUiRoutes.layer : Layer.empty,
    agui.enabled && agui.component !== undefined ? AgUiRoutes.layerOfOne(agui.component, agui.prefix) : Layer.empty,
    chat.enabled ? ChatRoutes.layer : Layer.empty,
    copilotkit.enabled ? CopilotKitRoutes.layer(copilotkit.prefix) : Layer.empty,
    openai.enabled ? OpenAiRoutes.layer(openai.prefix) : Layer.empty
  ).pipe(Layer.provide(Forms.layer))
