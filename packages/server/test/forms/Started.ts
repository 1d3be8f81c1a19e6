// A service with one agent, for forms.
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Context, Effect, Layer } from "effect"
import { always, serve } from "../Wire.ts"

export const started = Effect.fnUntraced(function*(limits: TestServer.Options["limits"] = {}) {
  const script = yield* always(Script.text("Hello."))
  const server = yield* serve({ agents: [Agent.make({ id: "plain", model: script.model })], limits })
  return { script, server }
})

/** One that tests share. Its model answers a hundred times. */
export class Started extends Context.Service<Started, Effect.Success<ReturnType<typeof started>>>()(
  "@svc-runtime/server/test/Started"
) {
  static readonly layer = Layer.effect(Started, started())
}
