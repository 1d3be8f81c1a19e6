// How a caller of the protected MCP endpoint learns what it lacks (RFC 6750 §3, RFC 9728 §5.1).
import type * as Principal from "@svc-runtime/domain/Principal"
import { HttpServerResponse } from "effect/http"
import { isScopeToken, type McpOAuth, resourceMetadataUrl } from "./McpOAuth.ts"

/** A quoted string of a header has neither quotes nor line ends. */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, " ")}"`

const header = (parameters: Readonly<Record<string, string>>) =>
  `Bearer ${Object.entries(parameters).map(([name, value]) => `${name}=${quoted(value)}`).join(", ")}`

const scopeOf = (scopes: ReadonlyArray<string>) => scopes.length === 0 ? {} : { scope: scopes.join(" ") }

/** The request has no credential. */
export const missing = (oauth: McpOAuth): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 401,
    headers: {
      "www-authenticate": header({ resource_metadata: resourceMetadataUrl(oauth), ...scopeOf(oauth.scopes) })
    }
  })

const refused = (status: number, error: string, description: string, oauth: McpOAuth, scopes: ReadonlyArray<string>) =>
  HttpServerResponse.jsonUnsafe({ error, error_description: description }, {
    status,
    headers: {
      "www-authenticate": header({
        error,
        error_description: description,
        resource_metadata: resourceMetadataUrl(oauth),
        ...scopeOf(scopes)
      })
    }
  })

/** The credential is not accepted. */
export const invalid = (oauth: McpOAuth, description: string): HttpServerResponse.HttpServerResponse =>
  refused(401, "invalid_token", description, oauth, oauth.scopes)

/**
 * The credential lacks a scope. The client can sign in again and request it, with those of its token: some clients
 * request only what the challenge names.
 */
export const insufficient = (
  oauth: McpOAuth,
  { credential, grants }: Principal.Principal,
  scope: string
): HttpServerResponse.HttpServerResponse => {
  const held = credential === "oauth" && grants !== undefined ? grants.scopes : []
  const scopes = [...new Set([...held, scope])].filter(isScopeToken)
  return refused(403, "insufficient_scope", `This request requires the scope ${scope}`, oauth, scopes)
}
