// A program that serves its components.
import { Agent, Application } from "@svc-runtime/server"
import { ConfigProvider, Effect, Layer } from "effect"
import { assert, it } from "vitest"

it("a component of a program with a service does not start a second one", async () => {
  const assistant = Agent.make({ id: "assistant", model: "fixed" })
  const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ PORT: "none" }))
  const service = Layer.build(Application.make({ agents: [assistant] })).pipe(Effect.scoped, Effect.provide(settings))
  await Effect.runPromise(Effect.exit(service))
  const error: unknown = await assistant.run("Hello").then(() => undefined, (error: unknown) => error)
  assert.match(String(error), /This program serves its components\. .* call the service with its client/)
})
