// The routes of the UI message stream, for agents, teams and workflows.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { ProtocolRoute } from "@svc-runtime/http/authorization/ProtocolRoute"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as ComponentLookup from "../protocols/ComponentLookup.ts"
import { orError } from "../protocols/ProtocolErrors.ts"
import * as ShownMessages from "../protocols/ShownMessages.ts"
import * as Chat from "./Chat.ts"

const paths = (kind: ComponentKind.ComponentKind) => {
  const { resource } = ComponentKind.descriptions[kind]
  return {
    chat: `/${resource}/:id/chat`,
    stream: `/${resource}/:id/chat/:chat_id/stream`,
    stop: `/${resource}/:id/chat/:chat_id/stop`
  } as const
}

const kinds = ComponentKind.ComponentKind.literals

export const routes: ReadonlyArray<ProtocolRoute> = kinds.flatMap((kind): ReadonlyArray<ProtocolRoute> => {
  const { chat, stop, stream } = paths(kind)
  const scopes = [`${ComponentKind.descriptions[kind].resource}:run`]
  return [
    { method: "POST", path: chat, scopes, depth: 0 },
    { method: "GET", path: stream, scopes, depth: 0 },
    { method: "POST", path: stop, scopes, depth: 0 }
  ]
})

const target = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { chat_id = "", id = "" } = yield* HttpRouter.params
  const caller = yield* RequestCaller.current(request)
  const component = yield* ComponentLookup.allow({ kind, id })
  return { request, chat_id, component, caller, isWhole: ShownMessages.areAll(request) }
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const service = yield* RunService
  const forms = yield* Forms
  for (const kind of kinds) {
    const { chat, stop, stream } = paths(kind)
    const at = target(kind)
    yield* router.add(
      "POST",
      chat,
      orError(Effect.flatMap(at, (target) => forms.usingJson(target.request, Chat.send(service, target))))
    )
    yield* router.add("GET", stream, orError(Effect.flatMap(at, (target) => Chat.resume(service, target))))
    yield* router.add(
      "POST",
      stop,
      orError(Effect.flatMap(at, (target) => {
        const query = new URLSearchParams(target.request.url.split("?")[1] ?? "")
        return Chat.stop(service, target, query.get("message_id"))
      }))
    )
  }
}))
