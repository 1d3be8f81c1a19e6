import { createOpenAI } from "@ai-sdk/openai"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { chatExpectations, chatSent } from "./ChatFormat.ts"
import { suite } from "./ProviderSuite.ts"

const modelId = "test-model"

suite({
  name: "OpenAIChat",
  modelId,
  server: OpenAiChat.make,
  client: (baseURL, apiKey) => createOpenAI({ baseURL, apiKey }).chat(modelId),
  eventsBeforeText: 1,
  sent: chatSent,
  expected: chatExpectations
})
