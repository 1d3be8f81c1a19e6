// The routes of AG-UI, for agents, teams and workflows.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { Forms } from "@svc-runtime/http/forms/Forms"
import type { AgUi as AgUiSettings } from "@svc-runtime/http/Settings"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ComponentLookup from "../protocols/ComponentLookup.ts"
import { orError } from "../protocols/ProtocolErrors.ts"
import * as ShownMessages from "../protocols/ShownMessages.ts"
import * as AgUi from "./AgUi.ts"

const kinds = ComponentKind.ComponentKind.literals

const pathOf = (kind: ComponentKind.ComponentKind) => `/${ComponentKind.descriptions[kind].resource}/:id/agui` as const

const routes: ReadonlyArray<ProtocolRoute> = kinds.map((kind) => ({
  method: "POST",
  path: pathOf(kind),
  scopes: [`${ComponentKind.descriptions[kind].resource}:run`],
  depth: 0
}))

/** The routes of the component that is served without its name in the path. */
const ofOne = (prefix = "") => ({
  agui: `${prefix}/agui` as `/${string}`,
  status: `${prefix}/status` as `/${string}`
})

export const routesOf = ({ component, prefix }: AgUiSettings): ReadonlyArray<ProtocolRoute> => {
  if (component === undefined) return routes
  const { agui, status } = ofOne(prefix)
  const depth = Number.MAX_SAFE_INTEGER
  const scope = component.startsWith("teams/") ? "teams:run" : "agents:run"
  return [
    ...routes,
    { method: "POST", path: agui, scopes: [scope], depth },
    { method: "GET", path: status, scopes: [], depth }
  ]
}

/** The application chooses the component. */
export const layerOfOne = (name: string, prefix: string | undefined) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const service = yield* RunService
    const forms = yield* Forms
    const components = yield* ComponentLookup.make
    const { agui, status } = ofOne(prefix)
    yield* router.add(
      "POST",
      agui,
      orError(Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const component = yield* components.find(name)
        if (component === undefined) return yield* Errors.notFound(`There is no component '${name}' (AGUI_COMPONENT)`)
        const caller = yield* RequestCaller.current(request)
        return yield* forms.usingJson(
          request,
          AgUi.run(service, { component, caller, isWhole: ShownMessages.areAll(request) })
        )
      }))
    )
    yield* router.add("GET", status, HttpServerResponse.jsonUnsafe({ status: "available" }))
  }))

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const service = yield* RunService
  const forms = yield* Forms
  for (const kind of kinds) {
    yield* router.add(
      "POST",
      pathOf(kind),
      orError(Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { id = "" } = yield* HttpRouter.params
        const caller = yield* RequestCaller.current(request)
        const component = yield* ComponentLookup.allow({ kind, id })
        return yield* forms.usingJson(
          request,
          AgUi.run(service, { component, caller, isWhole: ShownMessages.areAll(request) })
        )
      }))
    )
  }
}))
