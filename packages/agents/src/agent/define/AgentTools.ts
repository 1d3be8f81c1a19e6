// The tools that the author of an agent gives it, and the sources of further ones.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import { isProviderTool, type ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { isToolSource, type ToolSource } from "@svc-runtime/engine/tool/ToolSource"

/** By the names for models. */
export const byName = <A extends ProviderTool | Tool>(
  owner: string,
  tools: ReadonlyArray<A>
): ReadonlyMap<string, A> => {
  const map = new Map<string, A>()
  for (const tool of tools) {
    if (map.has(tool.name)) throw new Error(`${owner} has two tools called '${tool.name}'`)
    map.set(tool.name, tool)
  }
  return map
}

/** What can be given to an agent. */
export type Given = ProviderTool | Tool | ToolSource

const isTool = (tool: Given): tool is Tool => !isToolSource(tool) && !isProviderTool(tool)

export const split = (tools: ReadonlyArray<Given> = []) => ({
  own: tools.filter(isTool),
  ofProvider: tools.filter(isProviderTool),
  sources: tools.filter(isToolSource)
})

/** Those of the provider have other names than the own ones. */
export const checkedProviderTools = (
  owner: string,
  ofProvider: ReadonlyArray<ProviderTool>,
  own: ReadonlyArray<Tool>
): ReadonlyArray<ProviderTool> => {
  byName<ProviderTool | Tool>(owner, [...ofProvider, ...own])
  return ofProvider
}

export const distinct = (owner: string, sources: ReadonlyArray<ToolSource>): ReadonlyArray<ToolSource> => {
  const names = sources.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Error(`${owner} has two tool sources called '${twice}'`)
  return sources
}

export const checkedChoice = (
  owner: string,
  choice: AgentSchema.ToolChoice | undefined,
  own: ReadonlyArray<ProviderTool | Tool>
): AgentSchema.ToolChoice | undefined => {
  if (typeof choice === "object" && !own.some((tool) => tool.name === choice.tool)) {
    throw new Error(`${owner}: toolChoice names '${choice.tool}', which is not one of its tools`)
  }
  return choice
}
