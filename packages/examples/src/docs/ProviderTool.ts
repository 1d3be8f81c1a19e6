import { openai } from "@ai-sdk/openai"
import { Agent, ProviderTool } from "@svc-runtime/server"

export const researcher = Agent.make({
  id: "researcher",
  model: "openai:gpt-5",
  tools: [ProviderTool.make("web_search", openai.tools.webSearch())]
})
