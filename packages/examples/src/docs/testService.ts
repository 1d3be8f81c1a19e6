import { Agent } from "@svc-runtime/server"
import { assertCompleted, scriptedModel, testService } from "@svc-runtime/testing"

const assistant = Agent.make({ id: "assistant", model: scriptedModel(["It is sunny."]) })
await using service = await testService({ agents: [assistant] })
const run = await service.agent("assistant").run("How is the weather?")
assertCompleted(run)
