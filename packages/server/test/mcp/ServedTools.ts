// A service with the tools of MCP, and the texts of their results.
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import { Effect } from "effect"
import { at, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { open } from "./Mcp.ts"

export const served = Effect.fnUntraced(function*(...more: ReadonlyArray<Agent.Agent>) {
  const server = yield* serve({ agents: [(yield* plain).agent, ...more] })
  return { server, session: yield* open(server) }
})

export const textOf = (result: unknown) => at(result, "content", 0, "text")
