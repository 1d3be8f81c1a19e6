// Asks a person whether a client gets access. The form has a proof that this service made it for this browser: other
// sites can send a form, and do not know the cookie.
import {
  type AuthorizationRequest,
  AuthorizationServer,
  FailedAttempts,
  type OAuthError,
  RedirectUri
} from "@svc-runtime/auth"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { escaped } from "@svc-runtime/http/wire/Html"
import { Effect, Option, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, hash, randomBytes, timingSafeEqual } from "node:crypto"
import { consentPath, redirect } from "./AuthorizeRoute.ts"
import * as OAuthBody from "./OAuthBody.ts"

// The page on which a person approves a client. It has no scripts, and no page can frame it. What a client says about
// itself is escaped, and shown as unverified.

const style = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:10vh auto;padding:0 1rem}" +
  "input{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}button{font:inherit;padding:.4rem 1.2rem}" +
  ".error{color:#a00}code{word-break:break-all}"

const styleHash = createHash("sha256").update(style).digest("base64")

// Without `form-action`: browsers apply it to the redirect to the client too.
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`

const headers = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  // the form needs its own origin, and other sites must not see the address of the page
  "referrer-policy": "same-origin",
  "cache-control": "no-store"
}

interface Content {
  readonly service: string
  readonly request: AuthorizationRequest
  readonly txn: string
  readonly csrf: string
  /** Why the last attempt failed. */
  readonly problem: string | undefined
}

const targetOf = (redirect_uri: string): string => {
  const { host, protocol } = new URL(redirect_uri)
  return protocol === "https:" || protocol === "http:" ? host : protocol
}

const document = (title: string, body: string) =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head>
<body>
${body}
</body>
</html>`

const page = (
  { csrf, problem, request, service, txn }: Content,
  status: number
): HttpServerResponse.HttpServerResponse => {
  const { client_id, client_name, redirect_uri, scopes } = request
  return HttpServerResponse.html(document(
    `Sign in to ${escaped(service)}`,
    `<h1>${escaped(service)}</h1>
<p><strong>${escaped(client_name ?? "An app without a name")}</strong> requests access over MCP. This name is not
verified. The app receives the access at <code>${escaped(targetOf(redirect_uri))}</code>; its id is
<code>${escaped(client_id)}</code>.</p>
<p>It could use:</p>
<ul>${scopes.map((scope) => `<li><code>${escaped(scope)}</code></li>`).join("")}</ul>
${problem === undefined ? "" : `<p class="error" role="alert">${escaped(problem)}</p>`}
<form method="post">
<input type="hidden" name="txn" value="${escaped(txn)}">
<input type="hidden" name="csrf" value="${escaped(csrf)}">
<p><label>Your token or key for this service
<input type="password" name="secret" autocomplete="off" autofocus></label></p>
<p><button name="action" value="approve">Approve</button>
<button name="action" value="deny">Deny</button></p>
</form>`
  )).pipe(HttpServerResponse.setStatus(status), HttpServerResponse.setHeaders(headers))
}

const failure = (status: number, text: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.html(document("Sign-in", `<p>${escaped(text)}</p>`)).pipe(
    HttpServerResponse.setStatus(status),
    HttpServerResponse.setHeaders(headers)
  )

const cookieName = "svc_mcp_consent"
const cookieSeconds = 600
const isCookie = (text: string | undefined): text is string => text !== undefined && /^[\w-]{43}$/.test(text)

/** Wrong secrets within a minute, after which more are refused: of one address, and of all. */
const maxOfAddress = 9
const maxOfAll = 100

const proofOf = (cookie: string, txn: string): string => hash("sha256", `${cookie} ${txn}`, "base64url")

const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"))

const gone = failure(404, "This sign-in is over or was never begun. Start again in your app.")
const forged = failure(400, "This form is not from this browser. Start again in your app.")

export const layer = (oauth: McpOAuth) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const server = yield* AuthorizationServer
    const { name: service } = yield* ServerSettings
    const ofAddress = yield* FailedAttempts.share(maxOfAddress)
    const ofAll = yield* FailedAttempts.share(maxOfAll)
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
        page(content, 200),
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
          ? page({ ...content, problem: "Too many wrong tokens. Wait a minute." }, 429)
          : page({ ...content, problem: "This token or key is not accepted." }, 200)
      }
      return yield* server.approve(id, person).pipe(
        Effect.map((approved) => approved === undefined ? gone : back({ code: Redacted.value(approved.code) })),
        Effect.catchTag(
          "OAuthError",
          ({ description }) => Effect.succeed(page({ ...content, problem: description }, 200))
        )
      )
    })

    yield* router.add("GET", consentPath, (request) => OAuthBody.toResponse(show(request)))
    yield* router.add("POST", consentPath, (request) => OAuthBody.toResponse(decide(request)))
  }))
