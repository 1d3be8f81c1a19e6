// Bedrock's Converse.
import * as Messages from "./Messages.ts"
import type { Wire } from "./Wire.ts"

export const wire = (modelId: string): Wire => ({
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  newCallId: (hash) => `tooluse_${hash.slice(0, 24)}`,
  reasoning: "signed",
  signatures: ["bedrock", "amazonBedrock"],
  startsWithUser: true,
  endsWithUser: true,
  toolsForCalls: true,
  withoutAddresses: true,
  ...(modelId.includes("anthropic") ? { adapt: Messages.thinking(modelId, "bedrock", "reasoningConfig") } : {})
})
