import { Agent } from "@svc-runtime/server"
import { scriptedModel, toolCall } from "@svc-runtime/testing"

const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])

Agent.make({ id: "assistant", model })
