// The block of docs/guides/memory.md about summaries of sessions.
// #region
import { Agent, serve } from "@svc-runtime/server"

const assistant = Agent.make({
  id: "assistant",
  addHistoryToContext: true,
  numHistoryRuns: 2,
  sessionSummaries: { afterRuns: 5 },
  searchPastSessions: true
})

serve({ agents: [assistant] })
// #endregion
