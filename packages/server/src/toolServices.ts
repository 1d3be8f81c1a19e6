// What tools of runs reach the world with: links to MCP servers, and requests by HTTP.
import type { SafeFetchOptions } from "@svc/fetch"
import { Layer } from "effect"
import * as McpLinks from "./mcpClient/McpLinks.ts"
import * as ToolFetch from "./toolkit/ToolFetch.ts"

export const layerWith = (options?: SafeFetchOptions) =>
  Layer.merge(McpLinks.layerWith(options), ToolFetch.layerWith(options))
