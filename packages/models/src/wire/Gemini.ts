// Gemini's generateContent, at Google AI and Vertex.
import * as Schemas from "./Schemas.ts"
import type { Wire } from "./Wire.ts"

export const wire = (modelId: string): Wire => ({
  toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `call_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["google", "vertex", "googleVertex"],
  startsWithUser: true,
  endsWithUser: true,
  textResults: !/gemini-([3-9]|\d\d)/.test(modelId),
  schema: Schemas.gemini
})
