// A program that runs an agent twice in one session, and does not close anything.
import { Agent, Tool } from "@svc-runtime/server"

const count = Tool.make({
  name: "count",
  execute: (_, { sessionState }) => {
    sessionState["count"] = Number(sessionState["count"] ?? 0) + 1
    return String(sessionState["count"])
  }
})

const assistant = Agent.make({ id: "assistant", model: "fixed", tools: [count], addHistoryToContext: true })

const first = await assistant.run({ message: "One", session_id: "s" })
const stream = assistant.stream({ message: "Two", session_id: "s" })
let text = ""
for await (const piece of stream.textStream) text += piece
const { status } = await stream.result()
process.stdout.write(JSON.stringify({ status: [first.status, status], text, isSame: text === first.content }))
