// A tool as the conformance suite wants it.
import type { Effect } from "effect"
import { McpSchema } from "effect/ai"

export type Block = typeof McpSchema.ContentBlock.Type

export const text = (text: string): Block => McpSchema.TextContent.make({ type: "text", text })

export const says = (...content: ReadonlyArray<Block>) => McpSchema.CallToolResult.make({ content })

export interface Tool {
  readonly name: string
  readonly inputSchema?: McpSchema.ToolJson
  readonly handle: (given: Readonly<Record<string, string>>) => Effect.Effect<
    McpSchema.CallToolResult | McpSchema.InputRequired,
    McpSchema.InvalidParams | McpSchema.InternalError,
    McpSchema.McpRequestContext
  >
}
