// The option `toolSearch` of agents and teams: when the model looks tools up instead of getting all of them.
import type { ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Predicate } from "effect"

export interface ToolSearchOptions {
  /** The number of tools above which the model looks tools up. Default: 40. */
  readonly above?: number | undefined
  /**
   * The share of the context above which it does, whatever their number. The context is `maxContextTokens`, or 128,000
   * tokens. Default: 0.1.
   */
  readonly share?: number | undefined
  /**
   * The names of tools, and of MCP servers, that requests always have. Default: the tools that are no server's, if
   * there are at most 10 of them.
   */
  readonly always?: ReadonlyArray<string> | undefined
}

const kinds: AuthorOptions.Kinds<keyof ToolSearchOptions> = { above: "any", share: "any", always: "list" }

export interface ToolSearchSettings {
  readonly above: number
  readonly share: number
  /** Names of tools and of sources. Undefined: the author has named none. */
  readonly always: ReadonlySet<string> | undefined
  /** The names of the tools that the author gave. Others, such as those of members, are always shown. */
  readonly own: ReadonlySet<string>
}

interface Given {
  readonly own: ReadonlyArray<Tool>
  readonly ofProvider: ReadonlyArray<ProviderTool>
  readonly sources: ReadonlyArray<ToolSource>
}

/** Undefined: the model gets all tools. */
export const settings = (
  owner: string,
  option: "auto" | "off" | ToolSearchOptions = "auto",
  { ofProvider, own, sources }: Given
): ToolSearchSettings | undefined => {
  if (Predicate.isObject(option)) AuthorOptions.check(`${owner}: toolSearch`, option, kinds)
  else if (Validate.oneOf(owner, "toolSearch", ["auto", "off"], option) === "off") return undefined
  const { above = 40, always, share = 0.1 }: ToolSearchOptions = Predicate.isString(option) ? {} : option
  if (!Predicate.isNumber(share) || !(share > 0 && share <= 1)) {
    throw new Mistake(`${owner}: toolSearch.share must be a number above 0, and at most 1`)
  }
  const names = new Set([...own, ...ofProvider, ...sources].map(({ name }) => name))
  const unknown = always?.find((name) => !names.has(name))
  // the tools of a source are not known yet
  if (unknown !== undefined && sources.length === 0) {
    throw new Mistake(`${owner}: toolSearch.always names '${unknown}', which is not one of its tools`)
  }
  return {
    above: Validate.wholeNumber(owner, "toolSearch.above", 0, above),
    share,
    always: always === undefined ? undefined : new Set(always),
    own: new Set(own.map(({ name }) => name))
  }
}
