// The public documents about the protected MCP endpoint. Clients look for them at the path of the endpoint and at the
// root, and some look for the metadata of the authorization server here, wherever it is.
import { type McpOAuth, metadataUrls } from "@svc-runtime/http/authorization/McpOAuth"
import { mcpPath } from "@svc-runtime/http/Settings"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

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

export const layer = (oauth: McpOAuth) =>
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
