// The block of docs/guides/agents.md about summaries of what is left out.
// #region
import { Agent, serve } from "@svc-runtime/server"

const companion = Agent.make({
  id: "companion",
  addHistoryToContext: true,
  numHistoryRuns: 3,
  maxContextTokens: 20_000,
  summarizeHistory: { model: "openai:gpt-5-mini" }
})

serve({ agents: [companion] })
// #endregion
