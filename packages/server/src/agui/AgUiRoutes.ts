// The routes of AG-UI, for agents, teams and workflows.
import * as ComponentKind from "@svc/domain/ComponentKind"
import { RunService } from "@svc/runtime/service/RunService"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { ProtocolRoute } from "../authorization/ProtocolRoute.ts"
import * as RequestCaller from "../authorization/RequestCaller.ts"
import { Forms } from "../forms/Forms.ts"
import { orError } from "../protocols/ProtocolAnswer.ts"
import * as AgUi from "./AgUi.ts"

const kinds = ComponentKind.ComponentKind.literals

const pathOf = (kind: ComponentKind.ComponentKind) => `/${ComponentKind.descriptions[kind].resource}/:id/agui` as const

export const routes: ReadonlyArray<ProtocolRoute> = kinds.map((kind) => ({
  method: "POST",
  path: pathOf(kind),
  scopes: [`${ComponentKind.descriptions[kind].resource}:run`],
  depth: 0
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
        return yield* forms.usingJson(request, AgUi.run(service, { component: { kind, id }, caller }))
      }))
    )
  }
}))
