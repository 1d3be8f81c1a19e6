// A tool of an MCP server as a tool of an agent.
import * as Json from "@svc-runtime/domain/Json"
import type { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { type Effect, Schema } from "effect"
import type { McpFailure } from "./McpFailure.ts"
import type { McpServer, ToolSettings } from "./McpServer.ts"
import type { Listed } from "./ToolList.ts"

/** What a server says of its tools counts only if the author trusts it. */
const effectsOf = ({ effects }: ToolSettings, { annotations, name }: Listed): Tool.Effects => {
  if (effects === "annotations") {
    return annotations?.readOnlyHint === true ? "read" : annotations?.idempotentHint === true ? "idempotent" : "once"
  }
  return typeof effects === "string" ? effects : effects[name] ?? "once"
}

const isConfirmed = ({ approval, requiresConfirmation }: ToolSettings, name: string): boolean | undefined => {
  if (typeof requiresConfirmation !== "boolean") return requiresConfirmation.has(name) || approval !== undefined
  return requiresConfirmation || approval !== undefined
}

export interface McpCall {
  readonly tool: Listed
  readonly args: Readonly<Record<string, unknown>>
  readonly effectId: string
}

const Arguments = Schema.Record(Schema.String, Schema.Json)

export const toTool = (
  { tools: settings }: McpServer,
  name: string,
  listed: Listed,
  call: (given: McpCall) => Effect.Effect<unknown, McpFailure | OutcomeLost | Tool.ToolFailed>
): Tool.Tool => {
  const effects = effectsOf(settings, listed)
  const { approval, concurrency, delayBetweenRetries, exponentialBackoff, maxCalls, maxResultBytes, retries, timeout } =
    settings
  const tool = Tool.make({
    name,
    description: listed.description,
    parameters: Arguments,
    effects,
    requiresConfirmation: isConfirmed(settings, listed.name),
    approval,
    timeout,
    retries: effects === "once" ? 0 : retries,
    delayBetweenRetries,
    exponentialBackoff,
    concurrency,
    maxCalls,
    maxResultBytes,
    execute: (args, { effectId }) => call({ tool: listed, args, effectId })
  })
  // the server checks the arguments itself: a check here would trust its patterns
  return { ...tool, parameters: Json.isObject(listed.inputSchema) ? { ...listed.inputSchema } : tool.parameters }
}
