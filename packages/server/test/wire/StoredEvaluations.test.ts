// Evaluations and experiments of stored components: in the current version, or in the one that the request names.
import { assert, describe, it } from "@effect/vitest"
import type { End } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { at, get, list, notFound, post, send } from "../Wire.ts"

const instructed = ({ prompt }: Script.Call) => {
  const system = prompt.content.find(({ role }) => role === "system")
  return [Script.text(String(system?.content))]
}

describe("evaluations of stored components", () => {
  it.live("evaluations run the current version, or the one that the request names", () =>
    Effect.gen(function*() {
      const script = yield* Script.make(Array.from({ length: 20 }, () => instructed))
      const server = yield* TestServer.make({ model: "demo", registry: { models: [script.model] } })
      const model = { id: "scripted", provider: "Scripted" }
      yield* post(server, "/agents", { name: "Writer", model, instructions: "First" })
      yield* send(server, "PATCH", "/agents/writer", { instructions: "Second" })
      const dataset = yield* post(server, "/datasets", { name: "d", items: [{ id: "i", input: "Hi" }] })
      const dataset_id = String(at(dataset.json, "id"))

      const evaluated = Effect.fnUntraced(function*(component_version?: number) {
        const body = {
          agent_id: "writer",
          eval_type: "accuracy",
          expected_output: "Hi",
          input: "Hi",
          component_version
        }
        const { json, status, text } = yield* post(server, "/eval-runs", body)
        assert.strictEqual(status, 200, text)
        return at(json, "eval_data", "results", 0, "output")
      })
      assert.strictEqual(yield* evaluated(), "Second")
      assert.strictEqual(yield* evaluated(1), "First")

      const experiment = Effect.fnUntraced(function*(component_version?: number | string) {
        const body = { dataset_id, agent_id: "writer", scorers: [{ type: "exact" }], component_version }
        return yield* post(server, "/experiments", body)
      })
      const outputOf = Effect.fnUntraced(function*(component_version?: number | string) {
        const { json: accepted, status, text } = yield* experiment(component_version)
        assert.strictEqual(status, 202, text)
        const path = `/experiments/${String(at(accepted, "id"))}`
        for (;;) {
          const answer = yield* get(server, path)
          assert.strictEqual(answer.status, 200, answer.text)
          if (at(answer.json, "status") === "COMPLETED") break
          assert.notStrictEqual(at(answer.json, "status"), "FAILED", answer.text)
          yield* Effect.sleep("10 millis")
        }
        const items = yield* get(server, `${path}/items`)
        return [at(accepted, "component_version"), at(list(items.json, "data")[0], "output")]
      })
      assert.deepStrictEqual(yield* outputOf(), ["2", "Second"])
      assert.deepStrictEqual(yield* outputOf("1"), ["1", "First"])
      assert.deepStrictEqual(yield* outputOf(1), ["1", "First"])
      for (const version of [3, "3"]) notFound(yield* experiment(version), "Agent 'writer' has no version 3")
      notFound(yield* experiment(-1), "Agent 'writer' has no version -1")
      notFound(yield* experiment("first"), "Agent 'writer' has no version first")
      const body = { agent_id: "writer", eval_type: "performance", input: "Hi", component_version: 3 }
      notFound(yield* post(server, "/eval-runs", body), "Agent 'writer' has no version 3")
      notFound(yield* post(server, "/eval-runs", { ...body, agent_id: "none" }), "Agent with id 'none' not found")
    }))

  it.live("an experiment of a draft runs the draft as it was when the experiment was requested", () =>
    Effect.gen(function*() {
      const script = yield* Script.make(Array.from({ length: 20 }, () => instructed))
      const ended = yield* Deferred.make<End>()
      const patch = Effect.suspend(() =>
        send(server, "PATCH", "/agents/writer", { instructions: "Second", stage: "draft" })
      )
      const server: TestServer.TestServer = yield* TestServer.make({
        registry: { models: [script.model] },
        database: (database) => ({
          ...database,
          experiments: {
            ...database.experiments,
            begin: (id) => Effect.andThen(patch, database.experiments.begin(id)),
            finish: (id, end) => Effect.tap(database.experiments.finish(id, end), () => Deferred.succeed(ended, end))
          }
        })
      })
      const model = { id: "scripted", provider: "Scripted" }
      yield* post(server, "/agents", { name: "Writer", model, instructions: "First", stage: "draft" })
      const dataset = yield* post(server, "/datasets", { name: "d", items: [{ id: "i", input: "Hi" }] })
      const { json, status, text } = yield* post(server, "/experiments", {
        dataset_id: at(dataset.json, "id"),
        agent_id: "writer",
        component_version: "1",
        scorers: [{ type: "exact" }]
      })
      assert.strictEqual(status, 202, text)
      assert.strictEqual((yield* Deferred.await(ended)).status, "COMPLETED")
      const items = yield* get(server, `/experiments/${String(at(json, "id"))}/items`)
      assert.strictEqual(at(list(items.json, "data")[0], "output"), "First", items.text)
      assert.strictEqual(
        at((yield* get(server, "/components/writer/configs/1")).json, "config", "instructions"),
        "Second"
      )
    }))
})
