// What an author chooses about the MCP server of a service.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import type { CustomTool } from "./CustomTool.ts"

export const tags = ["core", "session"] as const
export type Tag = typeof tags[number]

/** How much of a run the tools that start one show: its text and ids, or all of it. */
export const resultModes = ["trimmed", "full"] as const
export type ResultMode = typeof resultModes[number]

export interface McpOptions {
  /** Tools beside those of the service, made by `McpServerTool.make`. */
  readonly tools?: ReadonlyArray<CustomTool> | undefined
  /** Whether the service's own tools are there. Default: true. */
  readonly builtInTools?: boolean | undefined
  /** Only own tools with one of these tags. Default: all. An empty list: none. */
  readonly includeTags?: ReadonlyArray<Tag> | undefined
  /** No own tools with one of these tags. Default: none is left out. */
  readonly excludeTags?: ReadonlyArray<Tag> | undefined
  /**
   * What tools show of a run: ids, status, requirements and references, or with `full` all of it. Default: `trimmed`.
   */
  readonly resultMode?: ResultMode | undefined
  /** Whether a user may use the MCP server at all. Undefined for callers without a user. Default: everyone may. */
  readonly authorize?: ((userId: Ids.UserId | undefined) => UserCode.Returned<boolean>) | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof McpOptions> = {
  tools: "list",
  builtInTools: "flag",
  includeTags: "list",
  excludeTags: "list",
  resultMode: { oneOf: resultModes },
  authorize: "function"
}

export const hasTag = ({ builtInTools = true, excludeTags = [], includeTags = tags }: McpOptions, tag: Tag): boolean =>
  builtInTools && includeTags.includes(tag) && !excludeTags.includes(tag)

/** Why a service cannot have these options. */
export const problemOf = (options: McpOptions): string | undefined => {
  const { excludeTags = [], includeTags = [], tools = [] } = options
  const unknown = [...includeTags, ...excludeTags].find((tag) => !tags.includes(tag))
  if (unknown !== undefined) return `There is no tag '${unknown}' of tools for MCP. The tags are ${tags.join(" and ")}`
  const names = tools.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return `Two tools for MCP have the name '${repeated}'`
  return options.builtInTools === false && tools.length === 0
    ? "The MCP server has no tools: builtInTools is false, and there are no others"
    : undefined
}
