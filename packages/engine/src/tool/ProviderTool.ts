// A tool that the provider of the model executes, such as a web search. The run shows its calls, and cannot stop them.
import { Predicate } from "effect"
import { described, Mistake } from "../userCode/Mistake.ts"

export interface ProviderTool {
  readonly _tag: "ProviderTool"
  readonly name: string
  readonly id: `${string}.${string}`
  readonly args: Readonly<Record<string, unknown>>
}

/** What the packages of the AI SDK return, such as `openai.tools.webSearch()`. */
export interface AiSdkProviderTool {
  readonly type?: string | undefined
  readonly id?: string | undefined
  readonly args?: Readonly<Record<string, unknown>> | undefined
  readonly isProviderExecuted?: boolean | undefined
}

export const isProviderTool = (value: unknown): value is ProviderTool => Predicate.isTagged(value, "ProviderTool")

const isId = (id: string | undefined): id is ProviderTool["id"] => id !== undefined && /^[^.]+\..+$/.test(id)

/**
 * A tool that the provider of the model executes: web search, code execution, and others. Its calls and results are
 * shown like those of other tools, and its sources are the `citations` of the run. A model of another provider is not
 * offered the tool.
 *
 * Throws an `Error` that names the tool if its provider does not execute it.
 *
 * ```ts
 * import { openai } from "@ai-sdk/openai"
 * import { Agent, ProviderTool } from "@svc-runtime/server"
 *
 * export const researcher = Agent.make({
 *   id: "researcher",
 *   model: "openai:gpt-5",
 *   tools: [ProviderTool.make("web_search", openai.tools.webSearch())]
 * })
 * ```
 */
export const make = (name: string, tool: AiSdkProviderTool): ProviderTool => {
  const given: unknown = tool
  if (!Predicate.isString(name) || !Predicate.isObject(given)) {
    const [what, is] = Predicate.isString(name)
      ? ["the tool of the provider behind the name", given]
      : ["a name first", name]
    throw new Mistake(
      `ProviderTool takes ${what}, and was given ${described(is)}. Write ProviderTool.make("name", tool)`
    )
  }
  const { args = {}, id, isProviderExecuted, type } = tool
  if (type !== "provider" || isProviderExecuted !== true || !isId(id)) {
    throw new Mistake(`Tool '${name}' is no tool that a provider executes`)
  }
  return { _tag: "ProviderTool", name, id, args }
}
