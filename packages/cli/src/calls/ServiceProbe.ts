// Detects the service at an address, without a credential. A service describes itself at `/info`. An older one is
// probed: whether `/mcp` exists, and which authentication error it returns.
import { Data, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { detailOf } from "./Calls.ts"
import { exchange, isObject, type JsonObject, objectOf, type Reply, type Unreachable } from "./Exchange.ts"

export const OAuth = Schema.Struct({
  authorization_servers: Schema.Array(Schema.String),
  resource: Schema.NullOr(Schema.String)
})
export type OAuth = typeof OAuth.Type

export const Service = Schema.Struct({
  url: Schema.String,
  name: Schema.NullOr(Schema.String),
  os_id: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  mcp: Schema.Struct({ enabled: Schema.Boolean, path: Schema.String, oauth: Schema.NullOr(OAuth) }),
  /** The mode of the REST API: `none`, `security_key`, `jwt`, `unknown`, or another value of the service. */
  auth_mode: Schema.String,
  discovered_via: Schema.Literals(["info", "probe"]),
  /** Why the description of the service could not be read. Older services have none. */
  info_error: Schema.optionalKey(Schema.String)
})
export type Service = typeof Service.Type

const limit = "5 seconds"

const get = (url: string) => exchange(HttpClientRequest.get(url), limit)

/** No service responds there, with the reason. */
export class NoService extends Data.TaggedError("NoService")<{ readonly reason: string }> {}

/** A service responds and refuses requests, such as while it starts. */
export class NotReady extends Data.TaggedError("NotReady")<{ readonly reason: string }> {}

/** The object of a 200 response. */
const described = (url: string) =>
  Effect.flatMap(get(url), (reply) => {
    const type = reply.headers["content-type"]?.split(";")[0]?.trim()
    const page = type === "text/html" ? `. That is a web page: is it the address of a service of Svc?` : ""
    if (reply.status !== 200) return Effect.fail(new NoService({ reason: `HTTP ${reply.status} from ${url}${page}` }))
    return Effect.mapError(
      Effect.fromOption(objectOf(reply)),
      () => new NoService({ reason: `no JSON object from ${url}${page}` })
    )
  }).pipe(Effect.catchTag("Unreachable", ({ reason }) => Effect.fail(new NoService({ reason }))))

/** Fails if no service responds there. */
export const health = (url: string) => Effect.asVoid(described(`${url}/health`))

const textOf = (value: Schema.Json | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null

const oauthOf = (value: Schema.Json | undefined): OAuth | null => {
  if (!isObject(value)) return null
  const servers = value["authorization_servers"]
  return {
    authorization_servers: Array.isArray(servers) ? servers.filter((server) => typeof server === "string") : [],
    resource: typeof value["resource"] === "string" ? value["resource"] : null
  }
}

/** Other implementations report their version under the name of their product. */
const versionOf = (info: JsonObject) => textOf(info["version"]) ?? textOf(info["agno_version"])

const fromInfo = (url: string, info: JsonObject, mcp: JsonObject, authMode: string): Service => {
  const enabled = Boolean(mcp["enabled"])
  return {
    url,
    name: textOf(info["name"]),
    os_id: textOf(info["os_id"]),
    version: versionOf(info),
    mcp: {
      enabled,
      path: textOf(mcp["path"]) ?? "/mcp",
      oauth: oauthOf(mcp["oauth"])
    },
    auth_mode: authMode,
    discovered_via: "info"
  }
}

const ping = (url: string) =>
  HttpClientRequest.post(`${url}/mcp`).pipe(
    HttpClientRequest.setHeader("accept", "application/json, text/event-stream"),
    HttpClientRequest.bodyText(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }), "application/json")
  )

const probedMcp = (url: string) =>
  exchange(ping(url), limit).pipe(
    Effect.map(({ status }) => status !== 404),
    Effect.catchTag("Unreachable", () => Effect.succeed(false))
  )

const probedAuthMode = (url: string) =>
  get(`${url}/config`).pipe(
    Effect.map((reply) => {
      if (reply.status === 200) return "none"
      if (reply.status !== 401) return "unknown"
      const detail = Option.getOrUndefined(objectOf(reply))?.["detail"]
      // "Authorization header required" by a key, "Authorization header missing" by tokens
      return typeof detail === "string" && detail.toLowerCase().includes("required") ? "security_key" : "jwt"
    }),
    Effect.catchTag("Unreachable", () => Effect.succeed("unknown"))
  )

const fromProbes = Effect.fnUntraced(function*(url: string, info: JsonObject, problem: string | undefined) {
  const enabled = yield* probedMcp(url)
  const service: Service = {
    url,
    name: null,
    os_id: null,
    version: versionOf(info),
    mcp: { enabled, path: "/mcp", oauth: null },
    auth_mode: yield* probedAuthMode(url),
    discovered_via: "probe",
    ...(problem === undefined ? {} : { info_error: problem })
  }
  return service
})

/** The reason why the description could not be read. A service that is too old to have one is no problem. */
const problemOf = (reply: Result.Result<Reply, Unreachable>): string | undefined => {
  if (Result.isFailure(reply)) return reply.failure.reason
  const { status } = reply.success
  if (status === 200) return Option.isNone(objectOf(reply.success)) ? "no JSON object" : undefined
  return status === 404 ? undefined : `HTTP ${status}`
}

/**
 * The service at an address without trailing slash. With `describedOnly`, a service that does not describe itself is
 * ignored: foreign services must not be probed.
 */
export const probe = Effect.fn("Discovery.probe")(function*(
  url: string,
  { describedOnly = false }: { readonly describedOnly?: boolean } = {}
) {
  yield* health(url)
  const reply = yield* Effect.result(get(`${url}/info`))
  if (Result.isSuccess(reply) && reply.success.status === 503) {
    return yield* new NotReady({ reason: detailOf(reply.success) })
  }
  const found = Option.flatMap(Option.filter(Result.getSuccess(reply), ({ status }) => status === 200), objectOf)
  const info = Option.getOrElse(found, (): JsonObject => ({}))
  const { auth_mode: authMode, mcp } = info
  if (isObject(mcp) && typeof authMode === "string") return fromInfo(url, info, mcp, authMode)
  if (describedOnly) return yield* new NoService({ reason: `${url} does not describe itself` })
  return yield* fromProbes(url, info, problemOf(reply))
})
