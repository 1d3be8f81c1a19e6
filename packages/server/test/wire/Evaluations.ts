// Services whose agents are evaluated. The demo model is the default one, so it is the judge.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Schema } from "effect"
import { always, type Answer, at, get, post } from "../Wire.ts"

export const serving = (agents: NonNullable<TestServer.Options["agents"]>, options: TestServer.Options = {}) =>
  TestServer.make({ model: "demo", agents, ...options })

/** An agent that says the same however often it is asked. */
export const saying = (text: string) =>
  Effect.map(always(Script.text(text)), ({ model }) => Agent.make({ id: "assistant", name: "Assistant", model }))

/** An agent whose second answer waits. */
export const slow = Effect.gen(function*() {
  const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const waiting = Script.wait(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go)))
  const script = yield* Script.make([
    [Script.text("Paris")],
    [waiting, Script.text("Paris")],
    ...Array.from({ length: 9 }, () => [Script.text("Paris")])
  ])
  const agent = Agent.make({ id: "assistant", model: script.model })
  return { agent, script, reached: Deferred.await(reached), go: Deferred.succeed(go, undefined) }
})

export const weather = Tool.make({
  name: "weather",
  parameters: Schema.Struct({ city: Schema.String }),
  execute: ({ city }) => `Sunny in ${city}`
})

export const evaluate = (server: TestServer.TestServer, body: object, query = "") =>
  post(server, `/eval-runs${query}`, { agent_id: "assistant", input: "What is the capital of France?", ...body })

export const accuracy = { eval_type: "accuracy", expected_output: "Paris" }

export const read = (server: TestServer.TestServer, { json }: Answer) =>
  Effect.map(get(server, `/eval-runs/${String(at(json, "id"))}`), (answer) => answer.json)

/** Waits until an evaluation has this status. */
export const settled = Effect.fnUntraced(function*(server: TestServer.TestServer, accepted: Answer, status: string) {
  for (;;) {
    const json = yield* read(server, accepted)
    if (at(json, "status") === status) return json
    yield* Effect.sleep("10 millis")
  }
})

export const keys = [
  "id",
  "agent_id",
  "model_id",
  "model_provider",
  "team_id",
  "workflow_id",
  "name",
  "evaluated_component_name",
  "eval_type",
  "eval_data",
  "eval_input",
  "created_at",
  "updated_at",
  // beyond the contract
  "status",
  "runs_done",
  "runs_total",
  "error"
] as const
