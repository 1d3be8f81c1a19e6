// What tools of runs reach the world with: links to MCP servers, requests by HTTP, and databases.
import type { SafeFetchOptions } from "@svc/fetch"
import { Layer } from "effect"
import * as McpLinks from "./mcpClient/McpLinks.ts"
import * as ToolDatabases from "./toolkit/ToolDatabases.ts"
import * as ToolFetch from "./toolkit/ToolFetch.ts"

export const layerWith = (options?: SafeFetchOptions) =>
  Layer.mergeAll(McpLinks.layerWith(options), ToolFetch.layerWith(options), ToolDatabases.layer)
