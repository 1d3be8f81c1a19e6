// Serves A2A: JSON-RPC of both versions on the address of a component, HTTP of 1.0 below it and of 0.3 below `v1`, and
// the contract's own wire. Each request becomes an operation, and its outcome is written as the request wants it.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Errors } from "@svc-runtime/api"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import * as ChangeRecorder from "@svc-runtime/http/authorization/ChangeRecorder"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import type { Refused } from "@svc-runtime/http/forms/FormBody"
import { Forms } from "@svc-runtime/http/forms/Forms"
import type { Bounds } from "@svc-runtime/http/forms/JsonBody"
import * as RequestRecord from "@svc-runtime/http/logging/RequestRecord"
import { ServerSettings } from "@svc-runtime/http/Settings"
import * as EntityTag from "@svc-runtime/http/wire/EntityTag"
import * as WireResponse from "@svc-runtime/http/wire/WireResponse"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import type { Operation } from "@svc-runtime/protocols/a2a/Operation"
import * as Proto03 from "@svc-runtime/protocols/a2a/Proto03"
import * as V03 from "@svc-runtime/protocols/a2a/V03"
import * as V10 from "@svc-runtime/protocols/a2a/V10"
import type { Version } from "@svc-runtime/protocols/a2a/Version"
import { DateTime, Effect, Option, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { orError } from "../protocols/ProtocolErrors.ts"
import * as A2aPaths from "./A2aPaths.ts"
import * as Cards from "./Cards.ts"
import * as ContractEndpoint from "./ContractEndpoint.ts"
import * as OperationResponses from "./OperationResponses.ts"
import * as Operations from "./Operations.ts"
import * as Pushes from "./Pushes.ts"
import * as RestRequest from "./RestRequest.ts"
import * as RpcRequest from "./RpcRequest.ts"
import * as Target from "./Target.ts"
import * as TaskReading from "./TaskReading.ts"
import * as TaskRuns from "./TaskRuns.ts"
import * as Versions from "./Versions.ts"

// A body that was refused, as an error of the protocol. It has the status of such bodies on all routes.
const refusalReasons: Readonly<Record<Refused["_tag"], A2aError.Reason>> = {
  BadRequest: "INVALID_REQUEST",
  Invalid: "INVALID_REQUEST",
  PayloadTooLarge: "INVALID_REQUEST",
  TooManyRequests: "RESOURCE_EXHAUSTED",
  UnsupportedMediaType: "CONTENT_TYPE_NOT_SUPPORTED"
}

/** A body that is no JSON. */
const isUnreadable = (error: Refused): boolean =>
  error._tag === "Invalid" && error.errors.some(({ type }) => type === "json_invalid")

const toA2a = (error: Refused): A2aError.A2aError =>
  isUnreadable(error)
    ? A2aError.make("PARSE_ERROR")
    : A2aError.refused(refusalReasons[error._tag], error.detail, WireResponse.statusOf(error))

// A card as a response that clients and proxies may keep.

/** Seconds. */
const maxAge = 300

/** A card changes when the service starts again, or when its component is changed by requests. */
const cardResponse = (
  { headers: sent }: HttpServerRequest.HttpServerRequest,
  card: Json.Object,
  startedAt: number
): HttpServerResponse.HttpServerResponse => {
  const text = JSON.stringify(card)
  const etag = `"${hash("sha256", text, "base64url").slice(0, 22)}"`
  const headers = {
    etag,
    "cache-control": `private, max-age=${maxAge}`,
    "last-modified": DateTime.toDateUtc(DateTime.makeUnsafe(startedAt)).toUTCString(),
    vary: "A2A-Version, Authorization"
  }
  return EntityTag.isKnown(sent, etag)
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { contentType: "application/json", headers })
}

/** What an operation changes beside runs, for the audit log. */
const changeOf = (operation: Operation): { readonly action: string; readonly subject_id: string } | undefined => {
  if (operation._tag === "SetPush") return { action: "set push config", subject_id: operation.taskId }
  if (operation._tag === "RemovePush") return { action: "remove push config", subject_id: operation.taskId }
  return undefined
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The parts of a message are most of a body, and what it carries beside them has a limit of its own. */
const bounds: Bounds = { limit: "a2aBody", setting: "MAX_A2A_BYTES", isPerField: false }

const make = Effect.gen(function*() {
  const cards = yield* Cards.make
  const forms = yield* Forms
  const { startedAt } = yield* ServerSettings
  const service = yield* RunService
  const tasks = TaskReading.make(service, (yield* StoreLimits).response)
  const runs = TaskRuns.make(service, tasks)
  const execute = Operations.make({ service, cards, tasks, runs, pushes: yield* Pushes.make })
  const contract = ContractEndpoint.make({ service, runs })

  const targetOf = Effect.fnUntraced(function*(kind: ComponentKind.ComponentKind, request: Request) {
    const { id = "" } = yield* HttpRouter.params
    return yield* Target.make(request, { kind, id })
  })

  const changes = Option.getOrUndefined(yield* Effect.serviceOption(ChangeRecorder.ChangeRecorder))

  /** The body of JSON-RPC decides what a request changes, so its route does not tell it. */
  const recorded = Effect.fnUntraced(
    function*<E, R>(request: Request, operation: Operation, app: ChangeRecorder.App<E, R>) {
      const [access, changed] = [yield* CurrentAccess, changeOf(operation)]
      if (changes === undefined || access === undefined || changed === undefined) return yield* app
      const id = RequestRecord.of(request)?.id
      const change = ChangeRecorder.described(request, access, id, { ...changed, subject_kind: "tasks" })
      return yield* change === undefined ? app : changes.recorded(change, app)
    }
  )

  const perform = Effect.fnUntraced(
    function*(
      target: Target.Target,
      decoded: Result.Result<Operation, A2aError.A2aError>,
      version: Version,
      writer: OperationResponses.Writer
    ) {
      const operation = yield* Effect.fromResult(decoded)
      yield* Target.allow(target.component, Target.actionOf(operation))
      const responded = execute(target, operation, version).pipe(
        Effect.flatMap((outcome) => OperationResponses.of(outcome, writer)),
        Effect.catchTag("A2aError", (error) => Effect.succeed(writer.failure(error)))
      )
      return yield* recorded(target.request, operation, responded)
    }
  )

  /** The decoded body is used after its bytes are released: a run may take hours. */
  const read = (request: Request) => forms.usingJson(request, Effect.succeed, bounds)
  const bodyOf = (request: Request) => Effect.mapError(read(request), toA2a)

  /** Refuses another version than that of the contract's own wire. */
  const contractVersion = (request: Request) =>
    Effect.mapError(
      Effect.fromResult(Versions.allowed(request, "0.3")),
      ({ message }) => Errors.badRequest(message)
    )

  /** On the contract's own wire, which has the errors of the HTTP API. */
  const jsonOf = (request: Request) =>
    Effect.andThen(
      contractVersion(request),
      Effect.catchIf(
        read(request),
        isUnreadable,
        () => Effect.fail(Errors.badRequest(A2aError.make("PARSE_ERROR").message))
      )
    )

  const respondToRpc = Effect.fnUntraced(function*(target: Target.Target, body: Json.Value) {
    const { id, operation, version, wire } = RpcRequest.of(body, Versions.statedIn(target.request))
    const writer = OperationResponses.rpc(id, wire)
    return yield* Effect.catchTag(
      perform(target, operation, version, writer),
      "A2aError",
      (error) => Effect.succeed(writer.failure(error))
    )
  })

  const respondToRest = Effect.fnUntraced(
    function*(target: Target.Target, version: Version, path: RestRequest.RestPath, body: Json.Value | undefined) {
      const { request } = target
      const writer = OperationResponses.rest(request, version === "1.0" ? V10.wire : Proto03.wire, version)
      return yield* Effect.gen(function*() {
        yield* Effect.fromResult(Versions.allowed(request, version))
        const params = yield* HttpRouter.params
        const query = Versions.queryOf(request)
        const operation = RestRequest.of({ method: request.method, path, params, query, body, version })
        return yield* perform(target, operation, version, writer)
      }).pipe(Effect.catchTag("A2aError", (error) => Effect.succeed(writer.failure(error))))
    }
  )

  const sendContract = Effect.fnUntraced(
    function*(target: Target.Target, body: Json.Object, action: "send" | "stream", refused?: string) {
      yield* Target.allow(target.component, "run", refused)
      return yield* contract.execute(target, body, action)
    }
  )

  return {
    /** Reads or cancels a task, on the contract's own wire. */
    contractTask: (kind: ComponentKind.ComponentKind, action: "get" | "cancel") =>
      Effect.fnUntraced(function*(request: Request) {
        const target = yield* targetOf(kind, request)
        yield* Target.allow(target.component, action === "get" ? "read" : "run")
        return yield* contract[action](target, yield* jsonOf(request))
      }),
    /** The deprecated routes: the body names the component. */
    dispatch: (action: "send" | "stream") =>
      Effect.fnUntraced(function*(request: Request) {
        const body = yield* jsonOf(request)
        const id = ContractEndpoint.entityOf(request, body)
        if (id === undefined) return yield* ContractEndpoint.entityMissing
        const found = yield* Effect.option(
          Effect.firstSuccessOf(ContractEndpoint.refs(id).map((ref) => Effect.as(cards.find(ref), ref)))
        )
        if (Option.isNone(found)) return yield* ContractEndpoint.entityUnknown(id)
        const target = yield* Target.make(request, found.value)
        const refused = `Insufficient permissions to run this ${found.value.kind}`
        return yield* sendContract(target, Json.isObject(body) ? body : {}, action, refused)
      }),
    card: (kind: ComponentKind.ComponentKind) =>
      Effect.fnUntraced(function*(request: Request) {
        const target = yield* targetOf(kind, request)
        yield* Target.allow(target.component, "read")
        const stated = Versions.statedIn(request)
        return Result.isFailure(stated)
          ? OperationResponses.rest(request, V10.wire, "1.0").failure(stated.failure)
          : cardResponse(request, yield* cards.card(target, stated.success ?? "0.3"), startedAt)
      }),
    rpc: (kind: ComponentKind.ComponentKind) =>
      Effect.fnUntraced(function*(request: Request) {
        const target = yield* targetOf(kind, request)
        const body = yield* Effect.result(bodyOf(request))
        return Result.isSuccess(body)
          ? yield* respondToRpc(target, body.success)
          : OperationResponses.rpc(null, V10.wire).failure(body.failure)
      }),
    rest: (kind: ComponentKind.ComponentKind, version: Version, path: RestRequest.RestPath) =>
      Effect.fnUntraced(function*(request: Request) {
        const target = yield* targetOf(kind, request)
        // a body only where one is expected: `:cancel` may come without, and without its type
        if (request.method !== "POST" || path === "tasks/:task") {
          return yield* respondToRest(target, version, path, undefined)
        }
        const body = yield* Effect.result(bodyOf(request))
        if (Result.isSuccess(body)) {
          if (version === "1.0" || !RpcRequest.isRpc(body.success)) {
            return yield* respondToRest(target, version, path, body.success)
          }
          const action = RpcRequest.contractActionOf(path, body.success, Versions.isStated(request))
          if (action === undefined) return yield* respondToRpc(target, body.success)
          yield* contractVersion(request)
          return yield* sendContract(target, body.success, action)
        }
        // the address of a card of 0.3: it takes JSON-RPC
        return version === "0.3" && path === "message::stream"
          ? OperationResponses.rpc(null, V03.wire).failure(body.failure)
          : OperationResponses.rest(request, V10.wire, version).failure(body.failure)
      })
  }
})

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { protocols: { a2a: { prefix } } } = yield* ServerSettings
  const { card, contractTask, dispatch, rest, rpc } = yield* make
  const add = <E extends WireResponse.WireError, R>(
    method: "GET" | "POST" | "DELETE",
    path: `/${string}`,
    serve: (request: Request) => Effect.Effect<Response, E, R>
  ) => router.add(method, path, (request) => orError(serve(request)))
  for (const kind of A2aPaths.kinds) {
    const address = A2aPaths.addressOf(prefix, kind)
    yield* add("GET", `${address}/.well-known/agent-card.json`, card(kind))
    yield* add("POST", address, rpc(kind))
    for (const [method, path] of A2aPaths.rest) {
      yield* add(method, `${address}/${path}`, rest(kind, "1.0", path))
      yield* add(method, `${address}/v1/${path}`, rest(kind, "0.3", path))
    }
    yield* add("GET", `${address}/extendedAgentCard`, rest(kind, "1.0", "extendedAgentCard"))
    yield* add("GET", `${address}/v1/card`, rest(kind, "0.3", "card"))
    for (const [method, path, , action] of A2aPaths.contractTasksOf(kind)) {
      yield* add(method, `${address}/${path}`, contractTask(kind, action))
    }
  }
  yield* add("POST", `${prefix as "/"}/message/send`, dispatch("send"))
  yield* add("POST", `${prefix as "/"}/message/stream`, dispatch("stream"))
}))
