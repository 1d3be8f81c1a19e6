// Asks a person whether a client gets access. The form has a proof that this service made it for this browser: other
// sites can send a form, and do not know the cookie.
import { AuthorizationServer, FailedAttempts, type OAuthError, RedirectUri } from "@svc-runtime/auth"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { consentPath, redirect } from "./AuthorizeRoute.ts"
import * as ConsentPage from "./ConsentPage.ts"
import * as OAuthBody from "./OAuthBody.ts"

const cookieName = "svc_mcp_consent"
const cookieSeconds = 600
const isCookie = (text: string | undefined): text is string => text !== undefined && /^[\w-]{43}$/.test(text)

/** Wrong secrets within a minute, after which more are refused: of one address, and of all. */
const maxOfAddress = 9
const maxOfAll = 100

const proofOf = (cookie: string, txn: string): string => hash("sha256", `${cookie} ${txn}`, "base64url")

const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"))

const gone = ConsentPage.failure(404, "This sign-in is over or was never begun. Start again in your app.")
const forged = ConsentPage.failure(400, "This form is not from this browser. Start again in your app.")

export const layer = (oauth: McpOAuth) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const server = yield* AuthorizationServer
    const { name: service } = yield* ServerSettings
    const ofAddress = FailedAttempts.make(maxOfAddress)
    const ofAll = FailedAttempts.make(maxOfAll)
    const isSecure = oauth.origin.startsWith("https:")

    const find = (txn: string) => server.findRequest(Redacted.make(txn))

    const show = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
      const txn = new URLSearchParams(request.url.split("?")[1] ?? "").get("txn") ?? ""
      const found = yield* find(txn)
      if (Option.isNone(found)) return gone
      const known = request.cookies[cookieName]
      // several tabs of a browser share the cookie
      const cookie = isCookie(known) ? known : randomBytes(32).toString("base64url")
      const content = { service, request: found.value, txn, csrf: proofOf(cookie, txn), problem: undefined }
      const attributes = `Path=${consentPath}; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax`
      return HttpServerResponse.setHeader(
        ConsentPage.page(content, 200),
        "set-cookie",
        `${cookieName}=${cookie}; ${attributes}${isSecure ? "; Secure" : ""}`
      )
    })

    const isTooMany = (address: string | undefined) =>
      Effect.map(Monotonic.millis, (now) => {
        const isOfAll = ofAll.isTooMany("", now)
        return ofAddress.isTooMany(address, now) || isOfAll
      })

    const decide = Effect.fnUntraced(function*(
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, OAuthError | StorageUnavailable> {
      const fields = yield* OAuthBody.form(request)
      const txn = fields.get("txn") ?? ""
      const id = Redacted.make(txn)
      const found = yield* find(txn)
      if (Option.isNone(found)) return gone
      const cookie = request.cookies[cookieName]
      const csrf = fields.get("csrf") ?? ""
      if (!isCookie(cookie) || !isSame(csrf, proofOf(cookie, txn))) return forged
      const { redirect_uri, state } = found.value
      const back = (parameters: Readonly<Record<string, string>>) =>
        redirect(RedirectUri.response(redirect_uri, { ...parameters, state, iss: oauth.issuer }))
      if (fields.get("action") === "deny") {
        return (yield* server.deny(id))
          ? back({ error: "access_denied", error_description: "The user denied access" })
          : gone
      }
      if (fields.get("action") !== "approve") return forged
      const content = { service, request: found.value, txn, csrf }
      const address = Option.getOrUndefined(request.remoteAddress)
      const person = yield* server.recognize(fields.get("secret") ?? "", address)
      if (person === undefined) {
        return (yield* isTooMany(address))
          ? ConsentPage.page({ ...content, problem: "Too many wrong tokens. Wait a minute." }, 429)
          : ConsentPage.page({ ...content, problem: "This token or key is not accepted." }, 200)
      }
      return yield* server.approve(id, person).pipe(
        Effect.map((approved) => approved === undefined ? gone : back({ code: Redacted.value(approved.code) })),
        Effect.catchTag(
          "OAuthError",
          ({ description }) => Effect.succeed(ConsentPage.page({ ...content, problem: description }, 200))
        )
      )
    })

    yield* router.add("GET", consentPath, (request) => OAuthBody.toResponse(show(request)))
    yield* router.add("POST", consentPath, (request) => OAuthBody.toResponse(decide(request)))
  }))
