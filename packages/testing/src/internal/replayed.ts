// A request that one model got, for another one.
import { Effect } from "effect"
import type { LanguageModel, Tool, Toolkit } from "effect/ai"

export const replayed = ({ prompt, toolChoice, tools }: LanguageModel.ProviderOptions): object => {
  const toolkit: Toolkit.WithHandler<Record<string, Tool.Any>> = {
    tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
    handle: () => Effect.die(new Error("The model that gets the request of another one executes no tools"))
  }
  return {
    prompt,
    ...(tools.length === 0 ? {} : { toolkit, toolChoice }),
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  }
}
