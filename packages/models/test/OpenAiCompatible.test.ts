import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { chatExpectations, chatSent } from "./ChatFormat.ts"
import { suite } from "./ProviderSuite.ts"

const modelId = "test-model"

suite({
  name: "OpenAICompatible",
  modelId,
  server: OpenAiChat.make,
  client: (baseURL, apiKey) =>
    createOpenAICompatible({
      name: "openaiCompatible",
      baseURL,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true
    }).chatModel(modelId),
  eventsBeforeText: 1,
  sent: chatSent,
  expected: {
    ...chatExpectations,
    // This client has no mark for a failure.
    toolResults: [
      ...chatExpectations.toolResults.slice(0, -1),
      { role: "tool", tool_call_id: "call_2", content: "The arguments are no JSON" }
    ]
  }
})
