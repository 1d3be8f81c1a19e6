// The routes of the API of OpenAI. A model is a component, whose scope the handlers check: the body names it.
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { now } from "@svc-runtime/engine/now"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { split } from "@svc-runtime/http/authorization/RoutePattern"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ComponentLookup from "../protocols/ComponentLookup.ts"
import { decoder } from "../protocols/ProtocolErrors.ts"
import * as Completions from "./Completions.ts"
import { noModel, orError } from "./openAiErrors.ts"
import * as Responses from "./Responses.ts"
import type { Services } from "./Services.ts"
import * as ShownResults from "./ShownResults.ts"
import * as StoredResponses from "./StoredResponses.ts"

const paths = (prefix: string) => ({
  models: `${prefix}/models` as `/${string}`,
  model: `${prefix}/models/:model` as `/${string}`,
  completions: `${prefix}/chat/completions` as `/${string}`,
  responses: `${prefix}/responses` as `/${string}`,
  response: `${prefix}/responses/:response_id` as `/${string}`,
  inputItems: `${prefix}/responses/:response_id/input_items` as `/${string}`,
  cancel: `${prefix}/responses/:response_id/cancel` as `/${string}`
})

export const routesOf = (prefix: string): ReadonlyArray<ProtocolRoute> => {
  const { cancel, completions, inputItems, model, models, response, responses } = paths(prefix)
  const depth = split(prefix).length
  return [
    { method: "GET", path: models, scopes: [], depth },
    { method: "GET", path: model, scopes: [], depth },
    { method: "POST", path: completions, scopes: [], depth },
    { method: "POST", path: responses, scopes: [], depth },
    { method: "GET", path: response, scopes: [], depth },
    { method: "GET", path: inputItems, scopes: [], depth },
    { method: "POST", path: cancel, scopes: [], depth }
  ]
}

const Query = Schema.Struct({
  stream: Schema.optionalKey(Schema.Literals(["true", "false"])),
  starting_after: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{1,9}$/)))
})
const decodeQuery = decoder(Query)

/** There is one item, so `limit` and `order` change nothing. */
const ListQuery = Schema.Struct({
  after: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^(?:[1-9]\d?|100)$/))),
  order: Schema.optionalKey(Schema.Literals(["asc", "desc"]))
})
const decodeList = decoder(ListQuery)

const queryOf = ({ url }: HttpServerRequest.HttpServerRequest) =>
  Object.fromEntries(new URLSearchParams(url.split("?")[1] ?? ""))

const readingOf = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const { starting_after = "-1", stream = "false" } = yield* decodeQuery(queryOf(request))
  return { stream: stream === "true", after: Number(starting_after) }
})

export const layer = (prefix: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const { limits } = yield* ServerSettings
    const forms = yield* Forms
    const { agents } = yield* ReachedComponents.ofService
    const asking = [...agents.keys()].flatMap(({ tools }) =>
      [...tools].flatMap(([name, tool]) => ShownResults.asks(tool) ? [name] : [])
    )
    const services: Services = {
      asking: new Set(asking),
      service: yield* RunService,
      components: yield* ComponentLookup.make,
      limit: limits.jsonBody
    }
    const created = yield* now
    const { cancel, completions, inputItems, model, models, response, responses } = paths(prefix)
    const toModel = ({ name }: { readonly name: string }) => ({ id: name, object: "model", created, owned_by: "svc" })

    yield* router.add(
      "GET",
      models,
      orError(Effect.map(services.components.list(), (found) =>
        HttpServerResponse.jsonUnsafe({ object: "list", data: found.map(toModel) })))
    )
    yield* router.add(
      "GET",
      model,
      orError(Effect.gen(function*() {
        const { model: name = "" } = yield* HttpRouter.params
        const found = yield* services.components.find(name)
        if (found === undefined || !(yield* services.components.isListed(found))) {
          return yield* noModel(name)
        }
        return HttpServerResponse.jsonUnsafe(toModel({ name }))
      }))
    )
    yield* router.add(
      "GET",
      response,
      orError(Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { response_id: id = "" } = yield* HttpRouter.params
        const caller = yield* RequestCaller.current(request)
        return yield* StoredResponses.read(services, caller, { id, ...yield* readingOf(request) })
      }))
    )
    yield* router.add(
      "GET",
      inputItems,
      orError(Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { response_id: id = "" } = yield* HttpRouter.params
        const { after } = yield* decodeList(queryOf(request))
        return yield* StoredResponses.inputItems(services, yield* RequestCaller.current(request), { id, after })
      }))
    )
    yield* router.add(
      "POST",
      cancel,
      orError(Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { response_id: id = "" } = yield* HttpRouter.params
        return yield* StoredResponses.cancel(services, yield* RequestCaller.current(request), id)
      }))
    )
    for (const [path, create] of [[completions, Completions.create], [responses, Responses.create]] as const) {
      yield* router.add(
        "POST",
        path,
        orError(Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const caller = yield* RequestCaller.current(request)
          return yield* forms.usingJson(request, create(services, caller))
        }))
      )
    }
  }))
