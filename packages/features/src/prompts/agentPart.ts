// What prompts add to agents: instructions that include them. They get their texts when a run begins.
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import * as Included from "./Included.ts"

export const part: AgentPart = {
  name: "prompts",
  define: () => ({ settings: {}, tools: [] }),
  isUsed: ({ instructions }) => Included.is(instructions)
}
