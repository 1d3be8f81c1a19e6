// What `GET /config` lists of the protocols that are served, and where.
import type { Protocols } from "./Settings.ts"

export interface Interface {
  readonly type: string
  readonly version: string
  readonly route: string
}

const all = (
  { a2a, agui, chat, copilotkit, openai }: Protocols
): ReadonlyArray<Interface & { readonly enabled: boolean }> => [
  { type: "a2a", version: "1.0", route: a2a.prefix, enabled: a2a.enabled },
  { type: "agui", version: "1.0", route: "/agents/{id}/agui", enabled: agui.enabled },
  { type: "chat", version: "v1", route: "/agents/{id}/chat", enabled: chat.enabled },
  { type: "copilotkit", version: "1", route: copilotkit.prefix, enabled: copilotkit.enabled },
  { type: "openai", version: "v1", route: openai.prefix, enabled: openai.enabled }
]

export const of = (protocols: Protocols): ReadonlyArray<Interface> =>
  all(protocols).filter(({ enabled }) => enabled).map(({ route, type, version }) => ({ type, version, route }))
