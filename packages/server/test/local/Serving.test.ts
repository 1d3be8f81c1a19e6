// A program that serves its components.
import { assert, it } from "@effect/vitest"
import { Agent, Application, Local } from "@svc-runtime/server"
import { freePort } from "@svc-runtime/test-support/freePort"
import { ConfigProvider, Effect, Layer } from "effect"

const assistant = Agent.make({ id: "assistant", model: "fixed" })

const refusal = Effect.promise(() => assistant.run("Hello").then(() => "", String))

it.live(
  "a component of a program with a service does not start a second one, until the service has stopped",
  () =>
    Effect.gen(function*() {
      const settings = { PORT: String(yield* freePort), HOST: "127.0.0.1", DATA_DIR: "memory", LOG_LEVEL: "Error" }
      yield* Effect.gen(function*() {
        yield* Layer.build(Application.make({ agents: [assistant] }))
        assert.match(yield* refusal, /This program serves its components\. .* call the service with its client/)
      }).pipe(Effect.scoped, Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))))
      yield* Effect.addFinalizer(() => Effect.promise(Local.close))
      assert.notInclude(yield* refusal, "This program serves its components")
    })
)
