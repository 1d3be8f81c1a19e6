// What offers tools that are known only when it is asked, such as an MCP server. A run asks it once, when it begins or
// is resumed.
import { type Effect, Predicate, type Scope } from "effect"
import type { Tool } from "./Tool.ts"

/** What a source offers. */
export interface Offer {
  readonly tools: ReadonlyArray<Tool>
  /** Why some or all tools are missing. */
  readonly problem: string | undefined
}

export interface ToolSource {
  readonly _tag: "ToolSource"
  readonly name: string
  /** Its tools can be called until the scope closes. */
  readonly open: Effect.Effect<Offer, never, Scope.Scope>
  /** What it offered last in this process. Undefined: it was not asked yet. */
  readonly last: () => Offer | undefined
}

export const isToolSource = (value: unknown): value is ToolSource => Predicate.isTagged(value, "ToolSource")
