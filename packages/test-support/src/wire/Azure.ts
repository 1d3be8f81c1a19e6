// The wire format of Azure OpenAI: Responses, with the key in a header of its own.
import * as OpenAiResponses from "./OpenAiResponses.ts"
import * as WireServer from "./WireServer.ts"

export const make = WireServer.make(
  { ...OpenAiResponses.format, key: (headers) => String(headers["api-key"]), provider: "azure" },
  "/openai/v1"
)
