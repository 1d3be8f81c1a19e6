// #region
import { Agent, serve, Tool } from "@svc-runtime/server"

const weather = Tool.make({
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  effects: "read",
  execute: ({ city }) => `It is sunny in ${String(city)}`
})

serve({
  agents: [Agent.make({ id: "assistant" })],
  registry: {
    tools: [weather],
    models: ["openai:gpt-5"],
    schemas: { Order: { type: "object", properties: { count: { type: "integer" } } } },
    functions: { total: ({ input }) => `In all: ${String(input)}` }
  }
})
// #endregion
