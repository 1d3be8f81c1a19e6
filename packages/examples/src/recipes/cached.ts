// # Pay less for long conversations
// Sessions and memory
//
// The provider caches the tools, the instructions and the history, so that each turn of a conversation costs a fraction
// of them. What changes, such as the time, comes last.
//
// Try:
//   npm run node -- packages/examples/src/recipes/cached.ts
//   svc chat helpdesk
//
// Change: `promptCache: { ttl: "1h" }` keeps the cache of Anthropic for conversations with longer breaks. With
// `maxContextTokens` and `searchHistory: true`, the agent finds what its requests leave out.
import { Agent, serve } from "@svc-runtime/server"

const helpdesk = Agent.make({
  id: "helpdesk",
  promptCache: "auto",
  addHistoryToContext: true,
  numHistoryRuns: 20,
  addDatetimeToContext: true
})

export const application = { agents: [helpdesk] }

if (import.meta.main) serve(application)
