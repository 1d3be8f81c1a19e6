// An authorization server for tests: each person is Ann. It checks PKCE, the client and the redirect address.
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

export interface AuthorizationServer {
  readonly issuer: string
  readonly publicPem: string
  /** Of the requests to the token endpoint. */
  readonly redeemed: ReadonlyArray<URLSearchParams>
  /** Seconds for which the next tokens are valid. */
  lifetime: number
}

const bodyOf = async (request: Http.IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

export const make = Effect.fnUntraced(function*(clientId: string) {
  const keys = yield* Tokens.issuer()
  const waiting = new Map<string, URLSearchParams>()
  const redeemed: Array<URLSearchParams> = []

  const tokenFor = async (fields: URLSearchParams): Promise<object | undefined> => {
    redeemed.push(fields)
    const begun = waiting.get(fields.get("code") ?? "")
    waiting.delete(fields.get("code") ?? "")
    const challenge = createHash("sha256").update(fields.get("code_verifier") ?? "").digest("base64url")
    const isRight = begun !== undefined && begun.get("code_challenge") === challenge &&
      begun.get("redirect_uri") === fields.get("redirect_uri") && fields.get("client_id") === clientId
    if (!isRight) return undefined
    const exp = Math.floor(Date.now() / 1000) + server.lifetime
    const scopes = ["agents:read", "agents:run", "sessions:read"]
    const claims = { sub: "ann", scopes, aud: "svc", iss: server.issuer, exp }
    return { access_token: await Effect.runPromise(keys.sign(claims)), token_type: "Bearer" }
  }

  const respond = async (request: Http.IncomingMessage, response: Http.ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", server.issuer)
    const send = (status: number, value: object) =>
      response.writeHead(status, { "content-type": "application/json", "access-control-allow-origin": "*" })
        .end(JSON.stringify(value))
    if (url.pathname === "/.well-known/openid-configuration") {
      send(200, {
        issuer: server.issuer,
        authorization_endpoint: `${server.issuer}/authorize`,
        token_endpoint: `${server.issuer}/token`
      })
    } else if (url.pathname === "/authorize") {
      const code = `code-${waiting.size}-${redeemed.length}`
      waiting.set(code, url.searchParams)
      const to = new URL(url.searchParams.get("redirect_uri") ?? "")
      to.search = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "", iss: server.issuer })
        .toString()
      response.writeHead(302, { location: to.href }).end()
    } else if (url.pathname === "/token") {
      const token = await tokenFor(await bodyOf(request))
      send(token === undefined ? 400 : 200, token ?? { error: "invalid_grant" })
    } else {
      send(404, {})
    }
  }

  const http = yield* Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const listening = Http.createServer((request, response) => void respond(request, response))
        .listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) =>
      Effect.sync(() => {
        listening.close()
        listening.closeAllConnections()
      })
  )
  const server: AuthorizationServer = {
    issuer: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    publicPem: keys.publicPem,
    redeemed,
    lifetime: 3600
  }
  return server
})
