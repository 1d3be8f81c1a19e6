// All routes of OAuth for the MCP endpoint.
import { AuthorizationServer, lifetimes, OAuthError } from "@svc-runtime/auth"
import * as Json from "@svc-runtime/domain/Json"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import { type McpOAuth, metadataUrls } from "@svc-runtime/http/authorization/McpOAuth"
import { mcpPath } from "@svc-runtime/http/Settings"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as AuthorizeRoute from "./AuthorizeRoute.ts"
import * as ConsentRoutes from "./ConsentRoutes.ts"
import * as OAuthBody from "./OAuthBody.ts"

// The endpoints of the authorization server for programs: registration, tokens, revocation.

const refused = (error: OAuthError["error"], description: string) => Effect.fail(new OAuthError({ error, description }))

const basic = /^basic +([A-Za-z0-9+/=]+)$/i

/** Clients have no secret. Some send one by HTTP Basic all the same: only the id counts. */
const clientOf = (request: HttpServerRequest.HttpServerRequest, fields: OAuthBody.Fields) => {
  const [, encoded] = basic.exec(request.headers["authorization"] ?? "") ?? []
  const [name = ""] = encoded === undefined ? [] : Buffer.from(encoded, "base64").toString("utf8").split(":")
  const id = fields.get("client_id") ?? new URLSearchParams(`id=${name.replaceAll("&", "%26")}`).get("id")
  return id === null || id === ""
    ? refused("invalid_request", "The parameter client_id is missing")
    : Effect.succeed(id)
}

const tokensResponse = (
  { access, refresh, scopes }: Effect.Success<ReturnType<AuthorizationServer["Service"]["exchange"]>>
) =>
  HttpServerResponse.jsonUnsafe({
    access_token: Redacted.value(access),
    token_type: "Bearer",
    expires_in: lifetimes.access,
    scope: scopes.join(" "),
    refresh_token: Redacted.value(refresh)
  }, { headers: OAuthBody.uncached })

const layerTokenRoutes = ({ resource }: McpOAuth) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const server = yield* AuthorizationServer

    const register = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const body = Json.parse(yield* OAuthBody.text(request))
      if (Option.isNone(body) || !Json.isShallow(body.value)) {
        return yield* refused("invalid_client_metadata", "The body of the request is not JSON")
      }
      const { client, scope } = yield* server.register(body.value, Option.getOrUndefined(request.remoteAddress))
      return HttpServerResponse.jsonUnsafe({
        redirect_uris: client.redirect_uris,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        ...(client.name === null ? {} : { client_name: client.name }),
        ...(scope === undefined ? {} : { scope }),
        client_id: client.id,
        client_id_issued_at: client.created_at
      }, { status: 201, headers: OAuthBody.uncached })
    })

    const token = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const fields = yield* OAuthBody.form(request)
      const type = yield* OAuthBody.required(fields, "grant_type")
      const client_id = yield* clientOf(request, fields)
      if ((fields.get("resource") ?? resource) !== resource) {
        return yield* refused("invalid_target", `Tokens are for the resource ${resource}`)
      }
      if (type === "authorization_code") {
        return tokensResponse(
          yield* server.exchange({
            client_id,
            code: yield* OAuthBody.required(fields, "code"),
            redirect_uri: yield* OAuthBody.required(fields, "redirect_uri"),
            code_verifier: yield* OAuthBody.required(fields, "code_verifier")
          })
        )
      }
      if (type === "refresh_token") {
        return tokensResponse(yield* server.refresh(yield* OAuthBody.required(fields, "refresh_token"), client_id))
      }
      return yield* refused("unsupported_grant_type", "The grant type is authorization_code or refresh_token")
    })

    const revoke = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const fields = yield* OAuthBody.form(request)
      yield* server.revoke(yield* OAuthBody.required(fields, "token"), yield* clientOf(request, fields))
      return HttpServerResponse.empty({ status: 200, headers: OAuthBody.uncached })
    })

    yield* router.add("POST", "/register", (request) => OAuthBody.toResponse(register(request)))
    yield* router.add("POST", "/token", (request) => OAuthBody.toResponse(token(request)))
    yield* router.add("POST", "/revoke", (request) => OAuthBody.toResponse(revoke(request)))
  }))

// The public documents about the protected MCP endpoint. Clients look for them at the path of the endpoint and at the
// root, and some look for the metadata of the authorization server here, wherever it is.

/** Pages of all origins may read what is public. */
const headers = { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*" }

const resourceMetadata = ({ issuer, resource }: McpOAuth) => ({
  resource,
  authorization_servers: [issuer],
  // clients request all that are listed
  scopes_supported: [],
  bearer_methods_supported: ["header"]
})

/** RFC 8414. The spelling of the issuer is also that of `iss` in redirects (RFC 9207). */
const serverMetadata = ({ issuer, origin, scopes }: McpOAuth) => ({
  issuer,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  revocation_endpoint: `${origin}/revoke`,
  scopes_supported: scopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true
})

const layerMetadataRoutes = (oauth: McpOAuth) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const document = HttpServerResponse.jsonUnsafe(resourceMetadata(oauth), { headers })
    yield* router.add("GET", "/.well-known/oauth-protected-resource", document)
    yield* router.add("GET", `/.well-known/oauth-protected-resource${mcpPath}`, document)
    const { ofOAuth, ofOpenId } = metadataUrls(oauth.issuer)
    const to = (location: string) => HttpServerResponse.empty({ status: 307, headers: { ...headers, location } })
    const own = oauth.server._tag === "BuiltIn"
      ? HttpServerResponse.jsonUnsafe(serverMetadata(oauth), { headers })
      : undefined
    yield* router.add("GET", "/.well-known/oauth-authorization-server", own ?? to(ofOAuth))
    yield* router.add("GET", "/.well-known/openid-configuration", own ?? to(ofOpenId))
  }))

const authorize = (oauth: McpOAuth) =>
  Layer.unwrap(Effect.map(AccessControl, ({ settings }) => AuthorizeRoute.layer(oauth, settings.adminScope)))

export const layer = (oauth: McpOAuth) =>
  oauth.server._tag === "External"
    ? layerMetadataRoutes(oauth)
    : Layer.mergeAll(
      layerMetadataRoutes(oauth),
      layerTokenRoutes(oauth),
      authorize(oauth),
      ConsentRoutes.layer(oauth)
    )
