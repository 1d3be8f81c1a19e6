// The settings of the MCP server. The code of an application overrides it.
import { Config as Env } from "effect"
import type { McpOAuthOptions } from "../authorization/McpOAuth.ts"
import { mcpOAuth } from "../authorization/McpOAuthConfig.ts"
import { list } from "../ConfigReaders.ts"
import { type McpOptions, resultModes, type Tag } from "./McpOptions.ts"

/** Unknown tags stop the start, as those in code do. */
const includeTags = Env.map(list("MCP_TAGS"), (tags) => tags.length === 0 ? undefined : tags as ReadonlyArray<Tag>)

const resultMode = Env.Literals([...resultModes, ""], "MCP_RESULT_MODE").pipe(
  Env.withDefault(undefined),
  Env.map((mode) => mode === "" ? undefined : mode)
)

export interface McpSettings {
  readonly enabled: boolean
  readonly oauth: McpOAuthOptions
  readonly options: Pick<McpOptions, "includeTags" | "resultMode">
}

export const mcpSettings: Env.Config<McpSettings> = Env.all({
  enabled: Env.Boolean("MCP_ENABLED").pipe(Env.withDefault(true)),
  oauth: mcpOAuth,
  options: Env.all({ includeTags, resultMode })
})
