// The MCP endpoint: the library's Streamable HTTP, for all its revisions of the protocol, and the checks that the
// library leaves to the service: host names, the number of sessions, and heartbeats of slow responses. The library's
// routes are in a router of their own behind the service's router.
//
// Access control has authenticated the request before, and has checked its origin. A session grants no rights: each
// request has its own caller, and tools check the caller's scopes.
import { CurrentPrincipal } from "@svc-runtime/api"
import * as Json from "@svc-runtime/domain/Json"
import { currentPeers } from "@svc-runtime/domain/Worker"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import * as AllowedHosts from "@svc-runtime/http/authorization/AllowedHosts"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import * as Challenge from "@svc-runtime/http/authorization/Challenge"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { Headers, HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Accept from "./Accept.ts"
import { watched } from "./ClientDisconnect.ts"
import * as McpBatch from "./McpBatch.ts"
import * as McpResponses from "./McpResponses.ts"
import * as McpSessions from "./McpSessions.ts"
import * as TaskMethods from "./tasks/TaskMethods.ts"

// Accepts subscriptions to resources in sessions. The protocol requires this of a server with resources, and the
// library does not accept them over HTTP, where it cannot send at any time. The resources of this server never
// change, so nothing is stored and nothing is sent. A resource that changes needs both.
const Subscribing = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.Literals(["resources/subscribe", "resources/unsubscribe"]),
  params: Schema.Struct({ uri: Schema.String })
})
const isSubscribing = Schema.is(Subscribing)

/** Undefined for other messages and for unknown resources, to which the library responds. */
const acceptSubscription = (
  message: unknown,
  { resources }: McpServer.McpServer["Service"]
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined =>
  isSubscribing(message) && resources.some(({ resource }) => resource.uri === message.params.uri)
    ? Effect.succeed(HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: message.id, result: {} }))
    : undefined

/** The newest revision with sessions comes first: a client that requests an unknown revision gets it. */
const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
  McpProtocol.v2026_07_28
] as const

type PerRequest = McpServer.McpRequest.From<"Requires", CurrentPrincipal>

export interface Options<E, R, T> {
  readonly path: HttpRouter.PathInput
  /** What is offered there. */
  readonly registrations: Layer.Layer<never, E, R | McpServer.McpServer | PerRequest>
  /** The tasks that calls can become. Default: none, and the endpoint does not offer the extension. */
  readonly tasks?: Effect.Effect<TaskMethods.Tasks | undefined, never, T> | undefined
  /** How many sessions are kept. */
  readonly maxSessions?: number | undefined
}

/** The data of a client is kept as long as its session, so it is limited. */
const maxInitializeBytes = 64 * 1024

const isInitialize = Schema.is(Schema.Struct({ method: Schema.Literal("initialize") }))
const isCancellation = Schema.is(Schema.Struct({ method: Schema.Literal("notifications/cancelled") }))
const isListening = Schema.is(Schema.Struct({ method: Schema.Literal("subscriptions/listen") }))

/** The library decides about the status of some responses when they leave. */
const acceptNotification = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(McpResponses.ofNotification(response))
)

/** A batch without a message is refused by the library. */
const isBatch = (message: Schema.Json): message is ReadonlyArray<Schema.Json> =>
  Array.isArray(message) && message.length > 0
const isNotification = (message: Schema.Json): boolean =>
  typeof message === "object" && message !== null && "method" in message && !("id" in message)

const Identified = Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]) })
const isIdentified = Schema.is(Identified)
const idOf = (message: Schema.Json): string | number => isIdentified(message) ? message.id : "server-error"

const hostRefused = errorResponse(400, "BAD_REQUEST", AllowedHosts.detail)

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "unauthorized", detail: "Not authorized for the MCP server." },
  { status: 401 }
)

const sessionVersions: ReadonlySet<string | undefined> = new Set(
  protocols.flatMap((protocol) => protocol.runtime._tag === "Stateful" ? [protocol.protocolVersion] : [])
)

/** The text of a request, and its limits, get lost when its headers are modified. */
const withText = (
  request: HttpServerRequest.HttpServerRequest,
  headers: Headers.Headers,
  text: HttpServerRequest.HttpServerRequest["text"]
) => Object.defineProperty(request.modify({ headers }), "text", { value: text })

/** Changes the headers that the library checks more strictly than necessary. */
const relaxHeaders = (request: HttpServerRequest.HttpServerRequest) => {
  // access control has checked the origin by the rules of the service, and the library has only a list
  let headers = Headers.set(Headers.remove(request.headers, "origin"), "accept", Accept.both)
  // a session has its version, so a header with another supported version does not matter
  if (headers[McpSessions.header] !== undefined && sessionVersions.has(headers["mcp-protocol-version"])) {
    headers = Headers.remove(headers, "mcp-protocol-version")
  }
  return withText(request, headers, request.text)
}

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** The library's routes as one handler. */
const transport = Effect.fnUntraced(function*<E, R, T>({ path, registrations, tasks: given }: Options<E, R, T>) {
  const tasks = given === undefined ? undefined : yield* given
  const { name, version } = yield* ServerSettings
  const router = yield* HttpRouter.make
  const built = yield* Layer.build(
    McpServer.layerHttp({ name, version, path, protocols, allowSessionTermination: true, registrations })
      .pipe(
        Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router)),
        // it fails only for two options that exclude each other, and neither is used
        Layer.orDie
      )
  )
  // the router has only two routes and is called for these, so it cannot fail
  // @effect-diagnostics-next-line anyUnknownInErrorContext:off
  return { ask: Effect.orDie(router.asHttpEffect()), server: Context.get(built, McpServer.McpServer), tasks }
})

const respond = (app: App, request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), McpResponses.normalizeErrors)

/** A request of the service itself in a session, which the library knows by this id. */
const requestOf = (path: string, init: RequestInit, inner?: string) =>
  HttpServerRequest.fromWeb(
    new Request(`http://localhost${path}`, {
      ...init,
      headers: {
        ...(inner === undefined ? {} : { [McpSessions.header]: inner }),
        "content-type": "application/json",
        accept: Accept.both
      }
    })
  )

/** Begins and ends sessions as their clients would. The name and the capabilities of a client are not kept. */
const libraryOf = (app: App, path: string): McpSessions.Library => ({
  begin: (protocolVersion) =>
    Effect.suspend(() => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
      let inner = ""
      return HttpEffect.toHandled(app, (_, { headers }) =>
        Effect.sync(() => {
          inner = headers[McpSessions.header] ?? ""
        })).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, requestOf(path, { method: "POST", body })),
          Effect.map(() => inner)
        )
    }),
  end: (inner) => Effect.scoped(respond(app, requestOf(path, { method: "DELETE" }, inner)))
})

/** What a message to one worker ends in another one: a session, or a call in it. */
const Ending = Schema.Struct({ session: Schema.String, cancelled: Schema.NullOr(Schema.Json) })
const decodeEnding = Schema.decodeUnknownOption(Ending)

/** The same request as the library gets it: in a session of its own, or in none. `body` was read already. */
const inSession = (request: HttpServerRequest.HttpServerRequest, inner: string | undefined, body: string) => {
  const headers = inner === undefined
    ? Headers.remove(request.headers, McpSessions.header)
    : Headers.set(request.headers, McpSessions.header, inner)
  return withText(request, headers, Effect.succeed(body))
}

export const layer = <E, R, T = never>(options: Options<E, R, T>) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const settings = yield* ServerSettings
    const access = yield* AccessControl
    const { ask: app, server, tasks } = yield* transport(options)
    const { allowedHosts, mcp: { oauth, options: { authorize } = {} } } = settings
    // host names are checked on an open service, and if the operator lists them
    const isAllowed = (access.settings.mode !== "none" || oauth !== undefined) && allowedHosts === undefined
      ? () => true
      : AllowedHosts.make(allowedHosts ?? [])
    const library = libraryOf(app, options.path)
    const sessions = McpSessions.make(options.maxSessions ?? 1000, library)
    const peers = yield* currentPeers
    const topic = `mcp ${options.path}`

    /** A session that a client has ended, or a call that it has cancelled, can be in another worker. */
    const end = ({ cancelled, session }: typeof Ending.Type) => {
      const inner = sessions.innerOf(session)
      if (cancelled === null) sessions.ended(session)
      if (inner === undefined) return Effect.void
      return cancelled === null
        ? library.end(inner)
        : Effect.scoped(
          respond(app, requestOf(options.path, { method: "POST", body: JSON.stringify(cancelled) }, inner))
        )
    }
    const endInPeers = (ending: typeof Ending.Type) => peers.ask(topic, ending)
    yield* peers.answer(topic, (ending) =>
      Effect.as(
        Option.match(decodeEnding(ending), { onNone: () => Effect.void, onSome: (found) => end(found) }),
        null
      ))

    const callerOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest) =>
      CurrentPrincipal.useSync((principal): McpSessions.Caller => ({
        key: CallerKey.ofPrincipal(principal, Option.getOrUndefined(remoteAddress)),
        user_id: principal.user_id
      }))

    /** Code that throws admits no caller. */
    const isAuthorized = authorize === undefined ?
      Effect.succeed(true) :
      CurrentPrincipal.use(({ user_id }) =>
        UserCode.call(() => authorize(user_id)).pipe(
          Effect.map((allowed) => allowed === true),
          Effect.catch((thrown) =>
            Effect.as(UserCode.logThrown("authorize of the MCP server threw", thrown, {}), false)
          )
        )
      )

    const withTasks = <R>(
      message: Schema.Json,
      app: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>,
      request: HttpServerRequest.HttpServerRequest
    ) =>
      tasks === undefined
        ? app
        : Effect.provideService(
          TaskMethods.respond(tasks, message, app),
          HttpServerRequest.HttpServerRequest,
          request
        )

    type Needs = CurrentPrincipal | HttpServerRequest.HttpServerRequest | Scope.Scope
    type Responded = Effect.Effect<HttpServerResponse.HttpServerResponse, never, Needs>

    const post = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, accepted: Accept.Accepted) {
      if (!accepted.json) return McpResponses.notAcceptable
      const body = yield* request.text
      const message = Json.parse(body)
      if (Option.isNone(message)) return McpResponses.parseError
      if (!Json.isShallow(message.value)) return McpResponses.tooDeep
      if (isInitialize(message.value)) {
        if (body.length > maxInitializeBytes) return McpResponses.initializeTooLarge
        if (!sessions.hasCapacity()) return McpResponses.tooManySessions
      }
      if (!accepted.streams && isListening(message.value)) return McpResponses.notAcceptable
      const admission = yield* CurrentAccess
      if (admission !== undefined) admission.closingFrame = McpResponses.closingFrame(idOf(message.value))
      const caller = yield* callerOf(request)
      const id = request.headers[McpSessions.header]
      const known = sessions.versionOf(id, caller)
      // a client that begins another session names the one that it had
      const isAnother = known !== undefined && isInitialize(message.value)
      const version = isAnother ? undefined : known
      /** `request`: as the library gets it. */
      const responding = (request: HttpServerRequest.HttpServerRequest): Responded => {
        if (version !== undefined) {
          const subscribed = acceptSubscription(message.value, server)
          if (subscribed !== undefined) return subscribed
          if (isBatch(message.value) && McpBatch.versions.has(version)) {
            return McpBatch.respond(message.value, request, (one) => respond(app, one))
          }
        }
        return isNotification(message.value)
          ? Effect.tap(respond(app, request), acceptNotification)
          : Effect.map(withTasks(message.value, respond(app, request), request), (response) => {
            const scope = admission?.missingScope
            return oauth === undefined || admission === undefined || scope === undefined
              ? response
              : Challenge.insufficient(oauth, admission.principal, scope)
          })
      }
      const shown = (responded: Responded) =>
        watched(accepted.streams ? McpResponses.withKeepAlive(responded) : McpResponses.withoutStream(responded))
      if (id === undefined || version === undefined) {
        const sent = isAnother ? inSession(request, undefined, body) : request
        return yield* sessions.beginning(caller, shown(responding(sent)))
      }
      if (isCancellation(message.value)) yield* endInPeers({ session: id, cancelled: message.value })
      const response = yield* sessions.within(
        id,
        version,
        caller,
        (inner) => shown(responding(inSession(request, inner, body)))
      )
      return response ?? McpResponses.tooManySessions
    })

    const remove = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const id = request.headers[McpSessions.header]
      const version = sessions.versionOf(id, yield* callerOf(request))
      // an unknown one, which the library refuses
      if (id === undefined || version === undefined) return yield* respond(app, request)
      const inner = sessions.innerOf(id)
      const response = inner === undefined ? undefined : yield* respond(app, inSession(request, inner, ""))
      if (response !== undefined && response.status !== 204) return response
      sessions.ended(id)
      yield* endInPeers({ session: id, cancelled: null })
      return HttpServerResponse.empty({ status: 200 })
    })

    const guarded = <E, R>(
      serve: (
        request: HttpServerRequest.HttpServerRequest,
        accepted: Accept.Accepted
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
    (request: HttpServerRequest.HttpServerRequest) =>
      isAllowed(request.headers["host"])
        ? Effect.flatMap(
          isAuthorized,
          (isUser) =>
            isUser
              ? serve(relaxHeaders(request), Accept.of(request.headers["accept"]))
              : Effect.succeed(unauthorized)
        )
        : Effect.succeed(hostRefused)

    yield* router.add("POST", options.path, guarded(post))
    yield* router.add("DELETE", options.path, guarded(remove))
  }))
