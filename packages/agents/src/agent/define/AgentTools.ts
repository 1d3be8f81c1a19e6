// The tools that the author of an agent gives it, and the sources of further ones.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { isProviderTool, type ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { isToolSource, type ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { described, isComponent, mismatch, Mistake, unmade } from "@svc-runtime/engine/userCode/Mistake"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Predicate } from "effect"

/** By the names for models. */
export const byName = <A extends ProviderTool | Tool>(
  owner: string,
  tools: ReadonlyArray<A>
): ReadonlyMap<string, A> => {
  const map = new Map<string, A>()
  for (const tool of tools) {
    if (map.has(tool.name)) {
      throw new Mistake(`${owner} has two tools called '${tool.name}'. Give one of them another name`)
    }
    map.set(tool.name, tool)
  }
  return map
}

/** What can be given to an agent. */
export type Given = ProviderTool | Tool | ToolSource

const isTool = (tool: Given): tool is Tool => !isToolSource(tool) && !isProviderTool(tool)

const isMade = (tool: Given): boolean =>
  isToolSource(tool) || isProviderTool(tool) ||
  (Predicate.isObject(tool) && Predicate.isFunction((tool as Partial<Tool>).call) && Predicate.isString(tool.name))

const hintOf = (tool: unknown): string => {
  if (Predicate.isObject(tool) && isComponent(tool)) return "Make it a tool with ComponentTool.make"
  if (Predicate.hasProperty(tool, "execute") && Predicate.hasProperty(tool, "inputSchema")) {
    return "Make it a tool with AiSdkTool.make"
  }
  if (Predicate.hasProperty(tool, "type") && !Predicate.hasProperty(tool, "execute")) {
    return "Make a tool of the provider with ProviderTool.make"
  }
  return Array.isArray(tool) ? "Write ... before it" : unmade(tool, "Tool.make")
}

export const split = (owner: string, tools: ReadonlyArray<Given> = []) => {
  for (const [index, tool] of tools.entries()) {
    if (!isMade(tool)) throw mismatch(`${owner}: tools[${index}]`, "a tool", tool, hintOf(tool))
  }
  return {
    own: tools.filter(isTool),
    ofProvider: tools.filter(isProviderTool),
    sources: tools.filter(isToolSource)
  }
}

/** Those of the provider have other names than the own ones. */
export const checkedProviderTools = (
  owner: string,
  ofProvider: ReadonlyArray<ProviderTool>,
  own: ReadonlyArray<Tool>
): ReadonlyArray<ProviderTool> => {
  byName<ProviderTool | Tool>(owner, [...ofProvider, ...own])
  return ofProvider
}

/** The journals of runs have the name with each call. */
const maxSourceName = 200

export const distinct = (owner: string, sources: ReadonlyArray<ToolSource>): ReadonlyArray<ToolSource> => {
  const names = sources.map(({ name }) => name)
  const long = names.find(({ length }) => length > maxSourceName)
  if (long !== undefined) {
    throw new Mistake(`${owner} has a tool source whose name has more than ${maxSourceName} characters`)
  }
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new Mistake(`${owner} has two tool sources called '${twice}'`)
  return sources
}

const choices = ["auto", "none", "required"] as const

/** The name of a tool, where other libraries have it. */
const toolIn = (choice: unknown): string | undefined => {
  if (Predicate.isString(choice)) return choice
  if (Array.isArray(choice)) return choice.length === 1 ? toolIn(choice[0]) : undefined
  if (!Predicate.isObject(choice)) return undefined
  const { function: called, name, tool, toolName } = choice
  return [tool, toolName, name].find(Predicate.isString) ?? (Predicate.isObject(called) ? toolIn(called) : undefined)
}

export const checkedChoice = (
  owner: string,
  choice: AgentSchema.ToolChoice | undefined,
  own: ReadonlyArray<ProviderTool | Tool>
): AgentSchema.ToolChoice | undefined => {
  const given: unknown = choice
  const word = choices.find((one) => one === given)
  if (choice === undefined || word !== undefined) return word
  const names = new Set(own.map(({ name }) => name))
  const named = toolIn(given)
  const meant = named === undefined || names.has(named) ? named : Misspelling.meant(named, names)
  if (Predicate.isObject(choice) && Predicate.isString(choice.tool)) {
    if (names.has(choice.tool)) return { tool: choice.tool }
    const todo = meant === undefined ? "" : `. Did you mean '${meant}'?`
    throw new Mistake(`${owner}: toolChoice names '${choice.tool}', which is not one of its tools${todo}`)
  }
  if (Predicate.isObjectOrArray(given) || meant !== undefined) {
    const tool = meant === undefined ? "…" : `"${meant}"`
    throw new Mistake(`${owner}: toolChoice is ${described(given)}. Write { tool: ${tool} }`)
  }
  // other libraries write "any" for a call of any tool
  if (given === "any") throw new Mistake(`${owner}: toolChoice is the text 'any'. Did you mean 'required'?`)
  return Validate.oneOf(owner, "toolChoice", choices, given)
}
