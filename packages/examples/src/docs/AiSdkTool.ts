import { Agent, AiSdkTool } from "@svc-runtime/server"
import { tool } from "ai"
import { z } from "zod"

const weather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "clear" })
})

export const assistant = Agent.make({
  id: "assistant",
  tools: [AiSdkTool.make("weather", weather, { effects: "read" })]
})
