// A chat with one agent, as tests of the console have it.
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** The agent `helper`, with a scripted model. */
export const agentOf = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return [Agent.make({ id: "helper", name: "Helper", model })]
})

export const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Message").fill(text)
  await page.keyboard.press("Enter")
}
