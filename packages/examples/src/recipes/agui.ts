// # Use a page of AG-UI
// Pages and servers
//
// Each component has a route of AG-UI, so a page of CopilotKit or any other client of the protocol can use it. The
// service keeps the history of the thread.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   npm run node -- packages/examples/src/recipes/agui.ts
//
// Change: the other events of the protocol have a handler each, such as `onToolCallEndEvent`.
import { HttpAgent } from "@ag-ui/client"

export const say = async (url: string, text: string) => {
  const agent = new HttpAgent({ url: `${url}/agents/assistant/agui`, threadId: crypto.randomUUID() })
  agent.messages = [{ id: crypto.randomUUID(), role: "user", content: text }]
  let answer = ""
  await agent.runAgent({}, {
    onTextMessageContentEvent: ({ event }) => {
      answer += event.delta
    }
  })
  return answer
}

if (import.meta.main) console.log(await say("http://127.0.0.1:7777", "Hello"))
