// The block of docs/guides/models.md.
// #region
import { createOpenAI } from "@ai-sdk/openai"
import { Agent, serve } from "@svc-runtime/server"

const internal = createOpenAI({ baseURL: "https://models.example.com/v1", apiKey: "key of the gateway" })

const assistant = Agent.make({ id: "assistant", model: internal.responses("gpt-5") })

serve({ agents: [assistant] })
// #endregion
