// A service with two agents.
import * as Agent from "@svc-runtime/features/Agent"
import { Effect } from "effect"
import { serve } from "../Wire.ts"
import { free, plain } from "./Fixtures.ts"

export const twoAgents = Effect.gen(function*() {
  const { agent, script } = yield* plain
  const server = yield* serve({ agents: [agent, Agent.make({ id: "other", model: script.model })], prices: free })
  return { script, server }
})

export const fields = { message: "hi", run_id: "r", session_id: "s" }
