// A program that serves its components.
import { assert, it } from "@effect/vitest"
import { Agent, Application, Local } from "@svc-runtime/server"
import { freePort } from "@svc-runtime/test-support/freePort"
import { ConfigProvider, Effect, Layer } from "effect"

const guide = Agent.make({ id: "city-guide", model: "fixed" })

const messageOf = (started: Promise<unknown>) => Effect.promise(() => started.then(() => "", String))

it.live(
  "a component of a program with a service does not start a second one, until the service has stopped",
  () =>
    Effect.gen(function*() {
      const settings = { PORT: String(yield* freePort), HOST: "127.0.0.1", DATA_DIR: "memory", LOG_LEVEL: "Error" }
      yield* Effect.gen(function*() {
        yield* Layer.build(Application.make({ agents: [guide] }))
        const refusal = (method: string) =>
          `Mistake: Agent 'city-guide': this program serves its components. In a function of a tool or a step write ` +
          `run(agent, …) with the run of its context, and elsewhere new Svc({ baseUrl }).agent("city-guide").${method}(…)`
        assert.strictEqual(yield* messageOf(guide.run("Hello")), refusal("run"))
        assert.strictEqual(yield* messageOf(guide.stream("Hello").result()), refusal("stream"))
        assert.strictEqual(
          yield* messageOf(guide.continue({ run_id: "r", session_id: "s" }, {})),
          "Mistake: Agent 'city-guide': this program serves its components. Write " +
            "new Svc({ baseUrl }).agent(\"city-guide\").continue(…)"
        )
        assert.strictEqual(
          yield* messageOf(Local.client()),
          "Mistake: Local.client: this program serves its components. Write new Svc({ baseUrl })"
        )
      }).pipe(Effect.scoped, Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))))
      yield* Effect.addFinalizer(() => Effect.promise(Local.close))
      assert.strictEqual(yield* messageOf(guide.run("Hello")), "")
    })
)
