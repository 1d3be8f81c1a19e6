// An MCP endpoint: Streamable HTTP of the library's, for every revision of the protocol that it speaks, with what it
// leaves to its surroundings. It is served by a router of its own behind ours, so that a request passes here first:
// whether its host may be called by that name, how many sessions there are, how long an answer may be silent.
//
// The door has let the request in, with its credential, its scopes and its origin. Sessions are not bound to who began
// them: every request says who is calling, and tools ask that caller for scopes. What will guard the endpoint by OAuth
// goes into the door, beside the excluded routes, and publishes its metadata next to the routes below.
import type { CurrentPrincipal } from "@svc/api"
import * as Json from "@svc/domain/Json"
import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { Headers, HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { AccessControl } from "../authorization/AccessControl.ts"
import * as AllowedHosts from "../authorization/AllowedHosts.ts"
import { CurrentAccess } from "../middleware/AccessDecision.ts"
import { errorResponse } from "../middleware/ErrorResponses.ts"
import { ServerSettings } from "../Settings.ts"
import { watched } from "./ClientDisconnect.ts"
import * as McpAnswers from "./McpAnswers.ts"
import * as McpBatch from "./McpBatch.ts"
import * as McpSessions from "./McpSessions.ts"
import * as Subscriptions from "./Subscriptions.ts"

/** The newest with sessions first: who asks for one that is not there gets it. */
const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
  McpProtocol.v2026_07_28
] as const

type PerRequest = McpServer.McpRequest.From<"Requires", CurrentPrincipal>

export interface Options<E, R> {
  readonly path: HttpRouter.PathInput
  /** What is offered there. */
  readonly registrations: Layer.Layer<never, E, R | McpServer.McpServer | PerRequest>
  /** How many sessions are kept. */
  readonly maxSessions?: number | undefined
}

/** What a client says of itself is kept as long as its session, so it cannot be much. */
const largestInitialize = 64 * 1024

const isInitialize = Schema.is(Schema.Struct({ method: Schema.Literal("initialize") }))

/** The library decides about the status of some answers when they leave. */
const acceptNotification = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(McpAnswers.ofNotification(response))
)

/** A batch without a message is refused by the library. */
const isBatch = (message: Schema.Json): message is ReadonlyArray<Schema.Json> =>
  Array.isArray(message) && message.length > 0
const isNotification = (message: Schema.Json): boolean =>
  typeof message === "object" && message !== null && "method" in message && !("id" in message)

const Identified = Schema.Struct({ id: Schema.Union([Schema.String, Schema.Finite]) })
const isIdentified = Schema.is(Identified)
const idOf = (message: Schema.Json): string | number => isIdentified(message) ? message.id : "server-error"

const hostRefused = errorResponse(
  400,
  "BAD_REQUEST",
  "Host not allowed. ALLOWED_HOSTS names those under which this service may be called over MCP"
)

const sessionVersions: ReadonlySet<string | undefined> = new Set(
  protocols.flatMap((protocol) => protocol.runtime._tag === "Stateful" ? [protocol.protocolVersion] : [])
)

/** What the library would judge more strictly than it has to be. */
const relaxHeaders = (request: HttpServerRequest.HttpServerRequest) => {
  // the door has judged the origin by the rules of the whole service, and the library knows only a list
  let headers = Headers.remove(request.headers, "origin")
  // a session has its version: a client that names another supported one is not wrong about anything else
  if (headers[McpSessions.header] !== undefined && sessionVersions.has(headers["mcp-protocol-version"])) {
    headers = Headers.remove(headers, "mcp-protocol-version")
  }
  return request.modify({ headers })
}

type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** The library's routes as one handler. */
const transport = Effect.fnUntraced(function*<E, R>({ path, registrations }: Options<E, R>) {
  const { name, version } = yield* ServerSettings
  const router = yield* HttpRouter.make
  const built = yield* Layer.build(
    McpServer.layerHttp({ name, version, path, protocols, allowSessionTermination: true, registrations }).pipe(
      Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router)),
      // two of its options cannot go together, and are not given
      Layer.orDie
    )
  )
  // the router has two routes and is asked for these: what it could fail with cannot happen
  // @effect-diagnostics-next-line anyUnknownInErrorContext:off
  return { ask: Effect.orDie(router.asHttpEffect()), server: Context.get(built, McpServer.McpServer) }
})

const answering = (app: App, request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), McpAnswers.normalizeErrors)

/** As its client would. */
const ending = (app: App, path: string) => (id: string) => {
  const request = new Request(`http://localhost${path}`, { method: "DELETE", headers: { [McpSessions.header]: id } })
  return Effect.scoped(answering(app, HttpServerRequest.fromWeb(request)))
}

export const layer = <E, R>(options: Options<E, R>) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const settings = yield* ServerSettings
    const access = yield* AccessControl
    const { ask: app, server } = yield* transport(options)
    const { allowedHosts } = settings
    // names are looked at where nothing else is, and where the operator lists them
    const isAllowed = access.settings.mode !== "none" && allowedHosts === undefined
      ? () => true
      : AllowedHosts.make(allowedHosts ?? [])
    const sessions = McpSessions.make(options.maxSessions ?? 1000, ending(app, options.path))

    const post = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const body = yield* request.text
      const message = Json.parse(body)
      if (Option.isNone(message)) return McpAnswers.parseError
      if (!Json.isShallow(message.value)) return McpAnswers.tooDeep
      if (isInitialize(message.value)) {
        if (body.length > largestInitialize) return McpAnswers.initializeTooLarge
        if (!sessions.hasCapacity()) return McpAnswers.tooManySessions
      }
      const admission = yield* CurrentAccess
      if (admission !== undefined) admission.closingFrame = McpAnswers.closingFrame(idOf(message.value))
      const session = request.headers[McpSessions.header]
      const subscribed = sessions.has(session) ? Subscriptions.answer(message.value, server) : undefined
      const answered = isBatch(message.value) && McpBatch.versions.has(sessions.versionOf(session))
        ? McpBatch.answer(message.value, request, (one) => answering(app, one))
        : isNotification(message.value)
        ? Effect.tap(answering(app, request), acceptNotification)
        : answering(app, request)
      return yield* sessions.track(session, subscribed ?? watched(McpAnswers.withKeepAlive(answered)))
    })

    const remove = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const response = yield* answering(app, request)
      if (response.status !== 204) return response
      sessions.forget(request.headers[McpSessions.header] ?? "")
      return HttpServerResponse.empty({ status: 200 })
    })

    const guarded = <E, R>(
      serve: (
        request: HttpServerRequest.HttpServerRequest
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
    (request: HttpServerRequest.HttpServerRequest) =>
      isAllowed(request.headers["host"]) ? serve(relaxHeaders(request)) : Effect.succeed(hostRefused)

    yield* router.add("POST", options.path, guarded(post))
    yield* router.add("DELETE", options.path, guarded(remove))
  }))
