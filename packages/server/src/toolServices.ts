// What tools of runs reach the world with: links to MCP servers, requests by HTTP, and databases.
import { SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import { Layer } from "effect"
import * as McpLinks from "./mcpClient/McpLinks.ts"
import * as ToolDatabases from "./toolkit/ToolDatabases.ts"
import * as ToolFetch from "./toolkit/ToolFetch.ts"

/** Each call has a time limit of its own. */
export const layerWith = (options?: SafeFetchOptions) =>
  Layer.mergeAll(McpLinks.layer, ToolFetch.layer, ToolDatabases.layer).pipe(
    Layer.provide(SafeFetch.layer({ ...options, timeout: "1 day" }))
  )
