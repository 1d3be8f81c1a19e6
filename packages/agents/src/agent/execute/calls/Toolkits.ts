// An agent's tools in the format of `effect/ai`. The handlers are never called: the run loop executes tools, because it
// records every call before and after.
import type * as Message from "@svc-runtime/domain/Message"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import { Tool as AiTool } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import type { AnyToolkit } from "../model/ModelStep.ts"
import * as ToolSearch from "../search/ToolSearch.ts"

interface Made {
  readonly toolkit: AnyToolkit
  /** The names of the found tools. */
  readonly found: string
}

const toolkits = new WeakMap<Agent, Made>()

/** What providers send for their own tools. */
const Any = Schema.Unknown

const build = (agent: Agent, found: ReadonlyArray<string>): AnyToolkit => {
  const tools: Record<string, AiTool.Any> = {}
  const add = (tool: Tool) => {
    const dynamic = AiTool.dynamic(tool.name, { description: tool.description, parameters: tool.parameters })
    tools[tool.name] = tool.strict === undefined ? dynamic : dynamic.annotate(AiTool.Strict, tool.strict)
  }
  for (const tool of agent.tools.values()) if (agent.deferred?.candidates.has(tool.name) !== true) add(tool)
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
  for (const name of found) {
    const tool = agent.tools.get(name)
    if (tool !== undefined) add(tool)
  }
  return { tools, handle: () => Effect.die(new Error("Tools are executed by the run loop")) }
}

type Messages = ReadonlyArray<Message.Message>

/**
 * Undefined for an agent without tools. Made once per agent and tools that were found, as the messages of the session
 * and of the run say.
 */
export const toolkitOf = (agent: Agent, messages: ReadonlyArray<Messages> = []): AnyToolkit | undefined => {
  const { deferred } = agent
  if (agent.tools.size + agent.providerTools.size === 0) return undefined
  const names = deferred === undefined ? [] : ToolSearch.foundIn(deferred, messages.flat())
  const found = names.join(" ")
  const known = toolkits.get(agent)
  if (known?.found === found) return known.toolkit
  const toolkit = build(agent, names)
  toolkits.set(agent, { toolkit, found })
  return toolkit
}
