// # An agent that works in the background of a chat
// Agents
//
// The call returns at once, and the user can write further messages. When the researcher has finished, its result joins
// the session, and the assistant tells it: also after a restart, and once.
//
// Try:
//   npm run node -- packages/examples/src/recipes/background.ts
//   curl -s localhost:7777/agents/assistant/runs -F message='Compare teas' -F session_id=tea -F stream=false
//   curl -s localhost:7777/sessions/tea/tasks
//   curl -s localhost:7777/sessions/tea/runs
//
// Change: with `wake: false` the assistant is not requested. Its next run in the session has the result.
import { Agent, ComponentTool, serve } from "@svc-runtime/server"

const researcher = Agent.make({ id: "researcher", role: "Researches a topic thoroughly" })

const assistant = Agent.make({
  id: "assistant",
  instructions: "Give every topic to the researcher, and say that you will report.",
  addHistoryToContext: true,
  tools: [ComponentTool.make({ component: researcher, background: { timeout: "30 minutes" } })]
})

export const application = { agents: [assistant, researcher] }

if (import.meta.main) serve(application)
