import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({
  id: "assistant",
  model: "anthropic:claude-sonnet-4-5",
  instructions: ["Answer in one sentence.", "Say so if you do not know."],
  addHistoryToContext: true,
  retries: 2,
  delayBetweenRetries: "2 seconds"
})

serve({ agents: [assistant] })
