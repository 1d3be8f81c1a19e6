// An agent with history, whose answers are counted, and what its model is shown.
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at } from "../Wire.ts"

export const remembering = Effect.gen(function*() {
  const script = yield* Script.make([1, 2, 3, 4, 5, 6, 7, 8].map((number) => [Script.text(`answer ${number}`)]))
  const agent = Agent.make({ id: "a", model: script.model, addHistoryToContext: true })
  /** The texts of the last request to the model. */
  const seen = Effect.map(
    script.prompts,
    (prompts) => prompts.at(-1)?.flatMap(({ content, role }) => role === "system" ? [] : [at(content, 0, "text")])
  )
  return { agent, seen }
})
