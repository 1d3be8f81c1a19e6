import { openai } from "@ai-sdk/openai"
import { Agent } from "@svc-runtime/server"
import { recordedModel } from "@svc-runtime/testing"

const model = recordedModel({ file: "test/recorded/weather.json", model: openai("gpt-5-mini") })

Agent.make({ id: "assistant", model })
