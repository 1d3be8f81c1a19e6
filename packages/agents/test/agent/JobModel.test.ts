import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import * as JobModel from "../../src/agent/read/JobModel.ts"

const Payload = Schema.Struct(JobModel.fields)

describe("the models of a job that reads runs", () => {
  it.effect("the payload names them, with their fallbacks, if its agent is not registered", () =>
    Effect.gen(function*() {
      const { model: object } = yield* Script.make([])
      const agent = Agent.make({ id: "agent", fallbackModels: ["fixed:one", object, "openai:gpt-5"] })
      const given = { agent_id: "agent", team_id: null, ...JobModel.of("demo", agent) }
      const payload = Schema.decodeUnknownSync(Payload)(JSON.parse(JSON.stringify(given)))
      const modelsOf = yield* JobModel.make({
        agentOf: () => undefined,
        modelOf: (id) => id === object.id ? object : undefined
      })
      const models = yield* modelsOf(payload, () => undefined)
      assert.deepStrictEqual(models.map(({ id }) => id), ["demo", "fixed", object.id, "gpt-5"])
    }).pipe(Effect.provide(ModelCatalog.layer({}))))

  it.effect("a payload of an earlier version has no fallbacks", () =>
    Effect.gen(function*() {
      const modelsOf = yield* JobModel.make({ agentOf: () => undefined, modelOf: () => undefined })
      const models = yield* modelsOf({ agent_id: "agent", team_id: null, model: "demo" }, () => undefined)
      assert.lengthOf(models, 1)
    }).pipe(Effect.provide(ModelCatalog.layer({}))))
})
