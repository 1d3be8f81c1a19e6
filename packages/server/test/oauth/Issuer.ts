// An external authorization server, as far as a service knows it: its metadata and its keys.
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { second } from "../Wire.ts"

export interface Issuer {
  readonly url: string
  /** The paths that were requested. */
  readonly requested: ReadonlyArray<string>
  readonly sign: (claims: Record<string, unknown>) => Effect.Effect<string>
}

export interface Options {
  /** Where its metadata is. */
  readonly metadataPath?: string
  /** Instead of its own name. */
  readonly issuer?: string
  /** The id of its key. */
  readonly keyId?: string
}

export const make = Effect.fnUntraced(function*(options: Options = {}) {
  const keys = yield* Tokens.issuer("RS256", options.keyId ?? "issuer-1")
  const requested: Array<string> = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? "")
    const body = request.url === (options.metadataPath ?? "/.well-known/oauth-authorization-server")
      ? { issuer: options.issuer ?? url, jwks_uri: `${url}keys` }
      : request.url === "/keys"
      ? { keys: [keys.publicJwk] }
      : undefined
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(body ?? {}))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const issuer: Issuer = {
    url,
    requested,
    sign: (claims) => keys.sign({ iss: url, exp: second + 600, ...claims })
  }
  return issuer
})
