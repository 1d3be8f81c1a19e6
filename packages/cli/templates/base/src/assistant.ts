import { Agent, Tool } from "@svc-runtime/server"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  description: "The weather in a city",
  parameters: z.object({ city: z.string() }),
  // a real tool asks a weather service here
  execute: async ({ city }) => `It is sunny in ${city}.`
})

export const assistant = Agent.make({
  id: "assistant",
  name: "Assistant",
  description: "Answers questions about the weather.",
  instructions: "Answer briefly. Use a tool if it knows better than you.",
  tools: [weather],
  addHistoryToContext: true
})
