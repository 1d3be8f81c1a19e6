// The agent of README.md.
// #region
import { Agent, serve, Tool } from "@svc-runtime/server"
import { z } from "zod"

const weather = Tool.make({
  name: "weather",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `It is sunny in ${city}.`
})

serve({ agents: [Agent.make({ id: "assistant", instructions: "Be brief.", tools: [weather] })] })
// #endregion
