// The environment variables of OAuth for the MCP endpoint.
import { Config as Env } from "effect"
import { list, secret, text } from "../config/ConfigReaders.ts"
import type { McpOAuthOptions } from "./McpOAuth.ts"

export const mcpOAuth: Env.Config<McpOAuthOptions> = Env.all({
  server: text("MCP_OAUTH"),
  connectSecret: secret("MCP_CONNECT_SECRET"),
  algorithm: text("MCP_OAUTH_ALGORITHM"),
  jwksFile: text("MCP_OAUTH_JWKS_FILE"),
  scopesClaim: text("MCP_OAUTH_SCOPES_CLAIM"),
  scopes: Env.map(list("MCP_OAUTH_SCOPES"), (scopes) => scopes.length === 0 ? undefined : scopes)
})
