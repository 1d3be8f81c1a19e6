// The block of docs/guides/agents.md about prompt caching.
// #region
import { Agent, serve } from "@svc-runtime/server"

const helpdesk = Agent.make({
  id: "helpdesk",
  model: "anthropic:claude-sonnet-4-5",
  instructions: "Answer questions about our products.",
  promptCache: "auto",
  addHistoryToContext: true,
  numHistoryRuns: 20,
  addDatetimeToContext: true
})

serve({ agents: [helpdesk] })
// #endregion
