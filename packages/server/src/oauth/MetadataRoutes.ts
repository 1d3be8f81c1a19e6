// The public documents about the protected MCP endpoint. Clients look for them at the path of the endpoint and at the
// root, and some look for the metadata of the authorization server here, wherever it is.
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type McpOAuth, metadataUrls } from "../authorization/McpOAuth.ts"
import { mcpPath } from "../Settings.ts"

/** Pages of all origins may read what is public. */
const headers = { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*" }

const resourceMetadata = ({ issuer, resource }: McpOAuth) => ({
  resource,
  authorization_servers: [issuer],
  // clients request all that are listed
  scopes_supported: [],
  bearer_methods_supported: ["header"]
})

export const layer = (oauth: McpOAuth) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const document = HttpServerResponse.jsonUnsafe(resourceMetadata(oauth), { headers })
    yield* router.add("GET", "/.well-known/oauth-protected-resource", document)
    yield* router.add("GET", `/.well-known/oauth-protected-resource${mcpPath}`, document)
    const { ofOAuth, ofOpenId } = metadataUrls(oauth.issuer)
    const to = (location: string) => HttpServerResponse.empty({ status: 307, headers: { ...headers, location } })
    yield* router.add("GET", "/.well-known/oauth-authorization-server", to(ofOAuth))
    yield* router.add("GET", "/.well-known/openid-configuration", to(ofOpenId))
  }))
