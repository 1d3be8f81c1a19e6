// The routes of CopilotKit's runtime. An agent there is a component, whose scope the handlers check.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Errors } from "@svc-runtime/api"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ComponentLookup from "../protocols/ComponentLookup.ts"
import { orError } from "../protocols/ProtocolErrors.ts"
import * as AgUi from "./AgUi.ts"
import * as CopilotKit from "./CopilotKit.ts"

const paths = (prefix: string) => ({
  info: `${prefix}/info` as `/${string}`,
  run: `${prefix}/agent/:id/run` as `/${string}`,
  connect: `${prefix}/agent/:id/connect` as `/${string}`,
  stop: `${prefix}/agent/:id/stop/:thread_id` as `/${string}`
})

export const routesOf = (prefix: string): ReadonlyArray<ProtocolRoute> => {
  const { info, ...posts } = paths(prefix)
  // the name of an agent can be that of a component of any kind
  const depth = Number.MAX_SAFE_INTEGER
  return [
    { method: "GET", path: info, scopes: [], depth },
    ...Object.values(posts).map((path): ProtocolRoute => ({ method: "POST", path, scopes: [], depth }))
  ]
}

/** What the runtime can do beside running agents: nothing. */
const features = {
  audioFileTranscriptionEnabled: false,
  mode: "sse",
  suggestions: false,
  a2uiEnabled: false,
  openGenerativeUIEnabled: false,
  telemetryDisabled: true
}

export const layer = (prefix: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const { version } = yield* ServerSettings
    const service = yield* RunService
    const forms = yield* Forms
    const components = yield* ComponentLookup.make
    const { connect, info, run, stop } = paths(prefix)

    const target = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { id = "", thread_id = "" } = yield* HttpRouter.params
      const component = yield* components.find(id)
      if (component === undefined) return yield* Errors.notFound(`Agent '${id}' not found`)
      // its pages read the thread back before they send
      return { request, thread_id, component, caller: yield* RequestCaller.current(request), isWhole: true }
    })

    yield* router.add(
      "GET",
      info,
      orError(Effect.map(components.list(), (found) => {
        const agents = found.map(({ description, kind, name }) =>
          [name, { name, description, className: kind }] as const
        )
        return HttpServerResponse.jsonUnsafe({ version, agents: Object.fromEntries(agents), ...features })
      }))
    )
    for (const [path, execute] of [[run, AgUi.run], [connect, CopilotKit.connect]] as const) {
      yield* router.add(
        "POST",
        path,
        orError(Effect.flatMap(target, (target) => forms.usingJson(target.request, execute(service, target))))
      )
    }
    yield* router.add(
      "POST",
      stop,
      orError(Effect.flatMap(target, (target) => CopilotKit.stop(service, target, target.thread_id)))
    )
  }))
