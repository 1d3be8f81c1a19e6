// The links of this process to MCP servers. A link closes when no run has used it for some time, and at shutdown.
import { SafeFetch } from "@svc-runtime/fetch"
import { Context, Effect, Layer, RcMap, type Scope } from "effect"
import * as GuardedFetch from "./GuardedFetch.ts"
import * as Link from "./Link.ts"
import type { McpServer } from "./McpServer.ts"

export class McpLinks extends Context.Service<McpLinks, {
  /** The link is kept until the scope closes. */
  readonly get: (server: McpServer) => Effect.Effect<Link.Link, never, Scope.Scope>
}>()("@svc-runtime/server/mcpClient/McpLinks") {}

/** A run can pause, and its next one begins soon. */
const idle = "5 minutes"

const make = Effect.gen(function*() {
  const fetch = yield* GuardedFetch.make(yield* SafeFetch)
  const links = yield* RcMap.make({
    lookup: (server: McpServer) => Link.make(server, fetch),
    idleTimeToLive: idle
  })
  return { get: (server: McpServer) => RcMap.get(links, server) }
})

export const layer = Layer.effect(McpLinks, make)
