// The tools that the author of an agent gives it, and the sources of further ones.
import type * as AgentSchema from "@svc/domain/Agent"
import type { Tool } from "../tool/Tool.ts"
import { isToolSource, type ToolSource } from "../tool/ToolSource.ts"

/** By the names for models. */
export const byName = (owner: string, tools: ReadonlyArray<Tool>): ReadonlyMap<string, Tool> => {
  const map = new Map<string, Tool>()
  for (const tool of tools) {
    if (map.has(tool.name)) throw new Error(`${owner} has two tools called '${tool.name}'`)
    map.set(tool.name, tool)
  }
  return map
}

const isTool = (tool: Tool | ToolSource): tool is Tool => !isToolSource(tool)

export const split = (tools: ReadonlyArray<Tool | ToolSource> = []) => ({
  own: tools.filter(isTool),
  sources: tools.filter(isToolSource)
})

export const distinct = (owner: string, sources: ReadonlyArray<ToolSource>): ReadonlyArray<ToolSource> => {
  const names = sources.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Error(`${owner} has two tool sources called '${twice}'`)
  return sources
}

export const checkedChoice = (
  owner: string,
  choice: AgentSchema.ToolChoice | undefined,
  own: ReadonlyArray<Tool>
): AgentSchema.ToolChoice | undefined => {
  if (typeof choice === "object" && !own.some((tool) => tool.name === choice.tool)) {
    throw new Error(`${owner}: toolChoice names '${choice.tool}', which is not one of its tools`)
  }
  return choice
}
