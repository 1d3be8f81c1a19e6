// The page on which a person approves a client. It has no scripts, and no page can frame it. What a client says about
// itself is escaped, and shown as unverified.
import type { AuthorizationRequest } from "@svc-runtime/auth"
import { escaped } from "@svc-runtime/http/wire/Html"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"

const style = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:10vh auto;padding:0 1rem}" +
  "input{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}button{font:inherit;padding:.4rem 1.2rem}" +
  ".error{color:#a00}code{word-break:break-all}"

const styleHash = createHash("sha256").update(style).digest("base64")

// Without `form-action`: browsers apply it to the redirect to the client too.
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`

export const headers = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  // the form needs its own origin, and other sites must not see the address of the page
  "referrer-policy": "same-origin",
  "cache-control": "no-store"
}

export interface Content {
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

export const page = (
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

export const failure = (status: number, text: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.html(document("Sign-in", `<p>${escaped(text)}</p>`)).pipe(
    HttpServerResponse.setStatus(status),
    HttpServerResponse.setHeaders(headers)
  )
