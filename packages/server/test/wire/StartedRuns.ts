// Starts runs of one agent with the fields of a test.
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { always, serve } from "../Wire.ts"

export const started = Effect.fnUntraced(function*(options: Partial<Agent.Options> = {}) {
  const script = yield* always(Script.text("Hello."))
  const server = yield* serve({ agents: [Agent.make({ id: "plain", model: script.model, ...options })] })
  return { script, server }
})
