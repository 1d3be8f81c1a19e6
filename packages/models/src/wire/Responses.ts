// OpenAI's Responses, which Azure, xAI and Hugging Face speak too.
import * as Schemas from "./Schemas.ts"
import type { Wire } from "./Wire.ts"

export const wire = (provider: string): Wire => ({
  // its client sends no results
  textCalls: provider.startsWith("huggingface"),
  textResults: !/^(openai|azure)/.test(provider),
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `call_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["openai", "azure", "xai"],
  strict: Schemas.openAiStrict,
  strictOptions: ["openai", "azure"]
})
