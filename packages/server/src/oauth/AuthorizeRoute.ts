// The address to which a client sends the browser of its user. Once the client and its redirect URI are known, errors
// return to the client; before that, the browser shows them, because nothing says where else to send it.
import { AuthorizationServer, isRegistered, OAuthError, RedirectUri } from "@svc-runtime/auth"
import * as Scope from "@svc-runtime/domain/Scope"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { isScopeToken, type McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import { Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as OAuthBody from "./OAuthBody.ts"

export const consentPath = "/mcp-auth/consent"

/** Characters of one parameter. */
const maxLength = 2048

export const redirect = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 302, headers: { location, ...OAuthBody.uncached } })

/** Without the parameter: all that a client can get. */
const scopesOf = (requested: string | undefined, grantable: ReadonlyArray<string>, adminScope: string) => {
  if (requested === undefined) return grantable
  const held = Scope.grants(grantable, adminScope)
  return [...new Set(requested.split(" "))].filter((scope) => isScopeToken(scope) && Scope.covers(held, scope))
}

const fail = (error: OAuthError["error"], description: string) => Effect.fail(new OAuthError({ error, description }))

export const layer = (oauth: McpOAuth, adminScope: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const server = yield* AuthorizationServer

    /** The client, and where its responses go. */
    const addressee = Effect.fnUntraced(function*(fields: OAuthBody.Fields) {
      const client = yield* server.findClient(yield* OAuthBody.required(fields, "client_id"))
      const given = fields.get("redirect_uri")
      const redirect_uri = given ?? (client.redirect_uris.length === 1 ? client.redirect_uris[0] : undefined)
      if (redirect_uri === undefined || !isRegistered(client, redirect_uri)) {
        return yield* fail("invalid_request", "The redirect_uri is not one that the client has registered")
      }
      return { client, redirect_uri }
    })

    const begin = Effect.fnUntraced(function*(
      { client, redirect_uri }: Effect.Success<ReturnType<typeof addressee>>,
      fields: OAuthBody.Fields,
      address: string | undefined
    ) {
      if ([...fields.values()].some(({ length }) => length > maxLength)) {
        return yield* fail("invalid_request", `A parameter has at most ${maxLength} characters`)
      }
      if (fields.get("response_type") !== "code") {
        return yield* fail("unsupported_response_type", "The response_type is code")
      }
      const challenge = fields.get("code_challenge") ?? ""
      if (fields.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge)) {
        return yield* fail("invalid_request", "PKCE is required: a code_challenge with the method S256")
      }
      if ((fields.get("resource") ?? oauth.resource) !== oauth.resource) {
        return yield* fail("invalid_target", `Tokens are for the resource ${oauth.resource}`)
      }
      const scopes = scopesOf(fields.get("scope"), oauth.scopes, adminScope)
      if (scopes.length === 0) return yield* fail("invalid_scope", `The scopes are ${oauth.scopes.join(" ")}`)
      const state = fields.get("state") ?? null
      return yield* server.begin({ client, redirect_uri, state, scopes, code_challenge: challenge, address })
    })

    const authorize = Effect.fnUntraced(function*(
      { remoteAddress }: HttpServerRequest.HttpServerRequest,
      fields: OAuthBody.Fields
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, StorageUnavailable | OAuthError> {
      const to = yield* addressee(fields)
      return yield* begin(to, fields, Option.getOrUndefined(remoteAddress)).pipe(
        Effect.map((id) => redirect(`${oauth.origin}${consentPath}?txn=${Redacted.value(id)}`)),
        Effect.catchTag("OAuthError", ({ description, error }) =>
          Effect.succeed(redirect(RedirectUri.response(to.redirect_uri, {
            error,
            error_description: description,
            state: fields.get("state")?.slice(0, maxLength) ?? null,
            iss: oauth.issuer
          }))))
      )
    })

    /** The browser shows it. */
    const shown = (effect: Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthError | StorageUnavailable>) =>
      OAuthBody.toResponse(Effect.catchTag(effect, "OAuthError", ({ description, error }) =>
        Effect.succeed(
          OAuthBody.oauthErrorResponse(error === "temporarily_unavailable" ? error : "invalid_request", description)
        )))

    const queryOf = (request: HttpServerRequest.HttpServerRequest) =>
      OAuthBody.fieldsOf(new URLSearchParams(request.url.split("?").slice(1).join("?")))

    yield* router.add("GET", "/authorize", (request) =>
      shown(Effect.flatMap(queryOf(request), (fields) =>
        authorize(request, fields))))
    yield* router.add("POST", "/authorize", (request) =>
      shown(Effect.flatMap(OAuthBody.form(request), (fields) =>
        authorize(request, fields))))
  }))
