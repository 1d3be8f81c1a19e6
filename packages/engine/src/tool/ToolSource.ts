// What offers tools that are known only when it is asked, such as an MCP server. A run asks it once, when it begins or
// is resumed.
import { type Effect, Predicate, Schema, type Scope } from "effect"
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

/** Who offers a tool: the agent itself, the client of the run, or the source with this name. */
export const OfferedBy = Schema.Union([
  Schema.Literals(["agent", "client"]),
  Schema.Struct({ source: Schema.String })
])
export type OfferedBy = typeof OfferedBy.Type

/** What the client of a run and tool sources offer beside the agent. */
export interface Offered {
  /** Whose the tools are that the run has by their names. Those of the agent are not in it. */
  readonly by: ReadonlyMap<string, OfferedBy>
  readonly client: ReadonlyMap<string, Tool>
  /** By the names of the sources: several can have a tool of one name. */
  readonly sources: ReadonlyMap<string, Offer>
}

export const isToolSource = (value: unknown): value is ToolSource => Predicate.isTagged(value, "ToolSource")
