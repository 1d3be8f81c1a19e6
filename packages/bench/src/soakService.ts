// A service with what fills memory over hours: streams with calls of a tool, histories, memories of users, and texts
// that are uploaded and searched.
import { Agent, Knowledge, serve, Tool } from "@svc-runtime/server"
import { Schema } from "effect"

const weather = Tool.make({
  name: "weather",
  description: "The weather of a place",
  effects: "read",
  parameters: Schema.Struct({ place: Schema.String }),
  execute: ({ place }) => `It rains in ${place}.`
})

serve({
  agents: [
    Agent.make({
      id: "assistant",
      instructions: "Answer briefly and to the point.",
      tools: [weather],
      knowledge: Knowledge.make({ name: "documents" }),
      memory: { model: "demo" },
      addHistoryToContext: true
    })
  ]
})
