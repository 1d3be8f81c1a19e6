// Components as resources of the MCP server: `svc://agents/{agent_id}` is what `GET /agents/{agent_id}` shows. The list
// has the registered components that the caller may read. Stored ones are read by the template.
import { modules } from "@svc-runtime/agents/modules/ComponentModules"
import { CurrentPrincipal, type Errors } from "@svc-runtime/api"
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Service from "@svc-runtime/domain/Service"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as ComponentDetails from "../handlers/components/ComponentDetails.ts"
import * as ResourceReading from "./ResourceReading.ts"

const mimeType = "application/json"

const uriOf = (kind: ComponentKind.ComponentKind, id: string) =>
  `svc://${ComponentKind.descriptions[kind].resource}/${id}`

const decodeId = Schema.decodeUnknownEffect(Component.Id)

type DetailOf = (
  id: string
) => Effect.Effect<
  object,
  Errors.NotFound | Errors.Conflict | Errors.TooManyRequests | Errors.Unavailable,
  CurrentPrincipal
>

/** The components of a configuration, with their kinds. */
export const registered = ({ agents, teams, workflows }: Service.Config) => [
  ...agents.map((each) => ({ kind: "agent", ...each }) as const),
  ...teams.map((each) => ({ kind: "team", ...each }) as const),
  ...workflows.map((each) => ({ kind: "workflow", ...each }) as const)
]

export type Registered = ReturnType<typeof registered>[number]

const endpointOf = (kind: ComponentKind.ComponentKind, id: string): ToolAccess.Endpoint => {
  const { resource } = ComponentKind.descriptions[kind]
  const parameter = `${kind}_id`
  return { route: `GET /${resource}/:${parameter}`, params: { [parameter]: id }, target: { resource, id } }
}

/** Callers with an access token see all, because they can request more scopes. A read names the missing scope. */
const shown = (all: ReadonlyArray<Registered>, access: ToolAccess.ToolAccess) => {
  const byUri = new Map(all.map(({ id, kind }) => [uriOf(kind, id), access.may(endpointOf(kind, id))]))
  return McpServer.visibility(({ method, target }) =>
    CurrentPrincipal.useSync((principal) => {
      const may = byUri.get(target)
      return method === "resources/read" || principal.credential === "oauth" || may === undefined || may(principal)
    })
  )
}

const templateOf = (kind: ComponentKind.ComponentKind) => {
  const { label, resource } = ComponentKind.descriptions[kind]
  return new McpSchema.ResourceTemplate({
    uriTemplate: `svc://${resource}/{${kind}_id}`,
    name: kind,
    title: label,
    description: `The description of one of the ${resource}, as JSON.`,
    mimeType
  })
}

export const layer = (config: Service.Config, access: ToolAccess.ToolAccess) => {
  const all = registered(config)
  return Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()
    const details: Readonly<Record<ComponentKind.ComponentKind, DetailOf>> = {
      agent: (yield* ComponentDetails.make(modules.agent)).detail,
      team: (yield* ComponentDetails.make(modules.team)).detail,
      workflow: (yield* ComponentDetails.make(modules.workflow)).detail
    }

    const read = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind, uri: string, given: string) {
      const id = yield* decodeId(given)
      yield* access.required(endpointOf(kind, id))
      return ResourceReading.json(uri, yield* ReadLimiter.reading(details[kind](id)))
    })

    for (const { description, id, kind, name } of all) {
      const uri = uriOf(kind, id)
      yield* server.addResource({
        resource: new McpSchema.Resource({
          uri,
          name: id,
          mimeType,
          ...(name === undefined ? {} : { title: name }),
          ...(description === undefined ? {} : { description })
        }),
        services,
        annotations: Context.empty(),
        handle: ResourceReading.forCaller(read(kind, uri, id)).pipe(
          Effect.mapError(({ message }) => new McpSchema.InternalError({ message }))
        )
      })
    }
    for (const kind of ComponentKind.ComponentKind.literals) {
      yield* server.addResourceTemplate({
        template: templateOf(kind),
        // in the syntax of the router a colon is written twice, and the library numbers the parameters
        routerPath: `svc:://${ComponentKind.descriptions[kind].resource}/:0`,
        completions: {},
        services,
        annotations: Context.empty(),
        handle: (uri, [id = ""]) => ResourceReading.forCaller(read(kind, uri, id))
      })
    }
  })).pipe(Layer.provide(shown(all, access).layer))
}
