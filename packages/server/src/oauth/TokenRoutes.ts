// The endpoints of the authorization server for programs: registration, tokens, revocation.
import { AuthorizationServer, lifetimes, OAuthError } from "@svc-runtime/auth"
import * as Json from "@svc-runtime/domain/Json"
import type { McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import { Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as OAuthBody from "./OAuthBody.ts"

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

export const layer = ({ resource }: McpOAuth) =>
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
