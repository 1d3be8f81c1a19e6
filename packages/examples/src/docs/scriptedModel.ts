import { Agent } from "@svc/server"
import { scriptedModel, toolCall } from "@svc/testkit"

const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])

Agent.make({ id: "assistant", model })
