// The block of docs/guides/agents.md about models.
// #region
import { Agent, serve } from "@svc-runtime/server"

const writer = Agent.make({
  id: "writer",
  model: "anthropic:claude-sonnet-4-5",
  fallbackModels: ["openai:gpt-5"],
  modelSettings: { temperature: 0.3, maxOutputTokens: 2000, reasoning: "low" },
  offeredModels: ["openai:gpt-5-mini"],
  offeredSettings: ["temperature", "max_output_tokens"]
})

serve({ agents: [writer] })
// #endregion
