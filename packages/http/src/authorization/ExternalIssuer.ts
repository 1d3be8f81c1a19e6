// Accepts access tokens of the external authorization server of MCP_OAUTH. Its keys are in a file, or where its
// metadata says.
import { defaultJwt, JwtKeys, type JwtSettings, OAuthTokens, RemoteKeys, Roles } from "@svc-runtime/auth"
import { type FetchError, SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import { Effect, Layer, Result, Schema } from "effect"
import { type ExternalServer, type McpOAuth, metadataUrls } from "./McpOAuth.ts"

const Metadata = Schema.fromJsonString(Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String }))
const decode = Schema.decodeUnknownResult(Metadata)

const maxBytes = 1024 * 1024

const reading = Effect.fnUntraced(function*(issuer: string) {
  const { fetch } = yield* SafeFetch
  const read = (url: string) =>
    fetch({ url, maxBytes }).pipe(
      Effect.mapError(({ message }: FetchError) => message),
      Effect.flatMap(({ body, status }) =>
        status === 200
          ? Effect.succeed(new TextDecoder().decode(body))
          : Effect.fail(`${url} responds with the status ${status}`)
      )
    )
  const keysOf = Effect.fnUntraced(function*(url: string) {
    const found = decode(yield* read(url))
    if (Result.isFailure(found)) return yield* Effect.fail(`${url} names no jwks_uri`)
    if (found.success.issuer !== issuer) {
      return yield* Effect.fail(`${url} is of the issuer '${found.success.issuer.slice(0, 200)}'`)
    }
    return found.success.jwks_uri
  })
  const { ofOAuth, ofOpenId } = metadataUrls(issuer)
  return { keys: Effect.flatMap(Effect.catch(keysOf(ofOAuth), () => keysOf(ofOpenId)), read) }
})

const keysOf = ({ issuer }: McpOAuth, { algorithm, jwksFile }: ExternalServer) =>
  jwksFile === undefined
    ? Effect.flatMap(reading(issuer), ({ keys }) => RemoteKeys.make(keys, algorithm))
    : JwtKeys.make({ ...defaultJwt, jwksFiles: [jwksFile], algorithm })

/** The operator names the issuer, so its host may be in a private network. */
const allowing = ({ issuer }: McpOAuth, options: SafeFetchOptions | undefined): SafeFetchOptions => {
  const { hostname, port, protocol } = new URL(issuer)
  const host = `${hostname}:${port === "" ? protocol === "https:" ? "443" : "80" : port}`
  return { ...options, allow: [...options?.allow ?? [], host], timeout: "5 seconds" }
}

export const layer = (
  oauth: McpOAuth,
  server: ExternalServer,
  { groupRoles, groupsClaim, tenantClaim }: JwtSettings,
  options: SafeFetchOptions | undefined
) =>
  Layer.effect(
    OAuthTokens,
    Effect.map(Effect.all([keysOf(oauth, server), Roles]), ([keys, roles]) =>
      OAuthTokens.of(OAuthTokens.ofIssuer({
        roles,
        jwt: {
          ...defaultJwt,
          algorithm: server.algorithm,
          issuer: oauth.issuer,
          audience: [oauth.resource],
          scopesClaim: server.scopesClaim,
          tenantClaim,
          groupsClaim,
          groupRoles
        }
      }, keys)))
  ).pipe(Layer.provide(SafeFetch.layer(allowing(oauth, options))))
