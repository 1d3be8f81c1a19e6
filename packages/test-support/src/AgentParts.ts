// What memory and summaries add to agents, for tests of an engine without a service around it.
import * as RunPart from "@svc-runtime/agents/agent/execute/RunPart"
import { Memory, Summaries } from "@svc-runtime/features/agentParts"
import { Effect, Layer } from "effect"

export const layer = Layer.effect(
  RunPart.AgentParts,
  Effect.gen(function*() {
    return [
      { name: Memory.part.name, forAgent: yield* Memory.forAgent },
      { name: Summaries.part.name, forAgent: yield* Summaries.forAgent }
    ]
  })
)
