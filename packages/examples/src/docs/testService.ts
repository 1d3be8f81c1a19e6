import { Agent } from "@svc/server"
import { assertCompleted, scriptedModel, testService } from "@svc/testkit"

const assistant = Agent.make({ id: "assistant", model: scriptedModel(["It is sunny."]) })
await using service = await testService({ agents: [assistant] })
const run = await service.agent("assistant").run("How is the weather?")
assertCompleted(run)
