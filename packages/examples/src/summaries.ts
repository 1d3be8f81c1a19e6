// An assistant that is shown one earlier run of a session and a summary of the others, and searches past sessions:
//
//   curl localhost:7777/agents/assistant/runs -d stream=false -d user_id=ann -d session_id=a -d 'message=I am Ann.'
//   curl localhost:7777/agents/assistant/runs -d stream=false -d user_id=ann -d session_id=a -d 'message=Who am I?'
import { Agent, serve } from "@svc-runtime/server"

export const assistant = Agent.make({
  id: "assistant",
  addHistoryToContext: true,
  numHistoryRuns: 1,
  sessionSummaries: { afterRuns: 1 },
  searchPastSessions: true
})

if (import.meta.main) serve({ agents: [assistant] })
