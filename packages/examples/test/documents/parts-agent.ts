// #region
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  description: "The weather in a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `It is sunny in ${city}.`
})

const assistant = Agent.make({ id: "assistant", instructions: "Be brief.", tools: [weather] })

serve({ agents: [assistant] })
// #endregion
