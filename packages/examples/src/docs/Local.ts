import { Agent, Local } from "@svc-runtime/server"

Local.configure({ dataDir: "data" })

const assistant = Agent.make({ id: "assistant" })
const run = await assistant.run({ message: "My name is Ann.", session_id: "first" })
console.log(run.content)
