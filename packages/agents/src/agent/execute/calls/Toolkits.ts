// An agent's tools in the format of `effect/ai`. The handlers are never called: the run loop executes tools, because it
// records every call before and after.
import { Effect, Schema } from "effect"
import { Tool as AiTool } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import type { AnyToolkit } from "../model/ModelStep.ts"

const toolkits = new WeakMap<Agent, AnyToolkit>()

/** What providers send for their own tools. */
const Any = Schema.Unknown

const build = (agent: Agent): AnyToolkit => {
  const tools: Record<string, AiTool.Any> = {}
  for (const tool of agent.tools.values()) {
    const dynamic = AiTool.dynamic(tool.name, { description: tool.description, parameters: tool.parameters })
    tools[tool.name] = tool.strict === undefined ? dynamic : dynamic.annotate(AiTool.Strict, tool.strict)
  }
  for (const { args, id, name } of agent.providerTools.values()) {
    const declared = {
      id,
      customName: name,
      providerName: name,
      args: Any,
      parameters: Any,
      success: Any,
      failure: Any
    }
    tools[name] = AiTool.providerDefined(declared)(args)
  }
  return { tools, handle: () => Effect.die(new Error("Tools are executed by the run loop")) }
}

/** Undefined for an agent without tools. Made once per agent. */
export const toolkitOf = (agent: Agent): AnyToolkit | undefined => {
  if (agent.tools.size + agent.providerTools.size === 0) return undefined
  const known = toolkits.get(agent)
  if (known !== undefined) return known
  const toolkit = build(agent)
  toolkits.set(agent, toolkit)
  return toolkit
}
