// Services whose MCP endpoint is protected by OAuth.
import { type McpOAuthOptions, resolve } from "@svc-runtime/http/authorization/McpOAuth"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Result } from "effect"
import { agents } from "../authorization/Closed.ts"
import { serve } from "../Wire.ts"

export const origin = "https://svc.example"
export const resource = `${origin}/mcp`

export const oauthOf = (options: McpOAuthOptions, publicUrl = origin, authMode: "jwt" | "none" = "jwt") =>
  Result.getOrThrow(resolve(options, {
    host: "127.0.0.1",
    port: 7777,
    publicUrl,
    isLoopback: true,
    mcpPath: "/mcp",
    isMcpEnabled: true,
    authMode
  }))

/** Without a socket. What authorization servers on this machine say can be read. */
export const serveProtected = (oauth: McpOAuthOptions, options: TestServer.Options = {}) =>
  Effect.gen(function*() {
    return yield* serve({
      agents: yield* agents,
      fetch: { allow: ["127.0.0.1"] },
      settings: { mcp: { enabled: true, oauth: oauthOf(oauth) } },
      ...options
    })
  })
