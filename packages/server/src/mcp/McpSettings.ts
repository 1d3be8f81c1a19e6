// The settings of the MCP server. The code of an application overrides it.
import type { McpOAuthOptions } from "@svc-runtime/http/authorization/McpOAuth"
import { flagOr, list, oneOf, secret, text } from "@svc-runtime/http/config/ConfigReaders"
import { type McpOptions, resultModes, type Tag } from "@svc-runtime/http/mcpTool/McpOptions"
import { Config as Env } from "effect"

/** Unknown tags stop the start, as those in code do. */
const includeTags = Env.map(list("MCP_TAGS"), (tags) => tags.length === 0 ? undefined : tags as ReadonlyArray<Tag>)

const resultMode = oneOf("MCP_RESULT_MODE", resultModes)

const oauth: Env.Config<McpOAuthOptions> = Env.all({
  server: text("MCP_OAUTH"),
  connectSecret: secret("MCP_CONNECT_SECRET"),
  algorithm: text("MCP_OAUTH_ALGORITHM"),
  jwksFile: text("MCP_OAUTH_JWKS_FILE"),
  scopesClaim: text("MCP_OAUTH_SCOPES_CLAIM"),
  scopes: Env.map(list("MCP_OAUTH_SCOPES"), (scopes) => scopes.length === 0 ? undefined : scopes)
})

export interface McpSettings {
  readonly enabled: boolean
  readonly oauth: McpOAuthOptions
  readonly options: Pick<McpOptions, "includeTags" | "resultMode">
}

export const mcpSettings: Env.Config<McpSettings> = Env.all({
  enabled: flagOr("MCP_ENABLED", true),
  oauth,
  options: Env.all({ includeTags, resultMode })
})
