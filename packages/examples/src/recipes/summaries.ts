// # Summarize long conversations
// Sessions and memory
//
// The service summarizes a session after some runs, in the background. The model then gets the summary and the newest
// runs, instead of a history that grows.
//
// Try:
//   npm run node -- packages/examples/src/recipes/summaries.ts
//   svc chat companion
//
// Change: `searchPastSessions: true` also lets the agent search the past sessions of its user.
import { Agent, serve } from "@svc-runtime/server"

const companion = Agent.make({
  id: "companion",
  addHistoryToContext: true,
  numHistoryRuns: 2,
  sessionSummaries: { afterRuns: 2 }
})

export const application = { agents: [companion] }

if (import.meta.main) serve(application)
