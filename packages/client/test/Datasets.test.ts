// Datasets and feedback over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { AgentRuns, Datasets, Feedback, type SvcClient } from "@svc-runtime/client/effect"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Effect, Stream } from "effect"
import { withService } from "./ServedClient.ts"

/** Of a service with an agent that answers once. */
const served = <A, E>(program: Effect.Effect<A, E, SvcClient>) =>
  Effect.gen(function*() {
    const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Paris")]])
    return yield* withService({ agents: [Agent.make({ id: "assistant", model })] }, program)
  })

describe("Datasets", () => {
  it.live("a dataset is made, changed, read in versions and deleted", () =>
    served(Effect.gen(function*() {
      const item = { id: "france", input: "Capital of France?", expected_output: "Paris" }
      const { id, version } = yield* Datasets.create({ name: "capitals", items: [item] })
      const changed = yield* Datasets.change(id, { version, put: [{ input: "Capital of Italy?" }] })
      assert.deepInclude(changed, { version: version + 1, item_count: 2 })
      const late = yield* Effect.flip(Datasets.change(id, { version, remove: ["france"] }))
      assert.strictEqual(late._tag, "Conflict")
      const first = yield* Stream.runCollect(Datasets.items(id, { version }))
      assert.deepStrictEqual(first.map(({ expected_output, id }) => [id, expected_output]), [["france", "Paris"]])

      const run = yield* AgentRuns.run("assistant", { message: "Capital of Peru?", session_id: "s" })
      yield* Datasets.addRun(id, { run_id: run.run_id, session_id: "s" })
      const inputs = (yield* Stream.runCollect(Datasets.items(id))).map(({ input }) => input)
      assert.sameMembers(inputs, ["Capital of France?", "Capital of Italy?", "Capital of Peru?"])

      assert.strictEqual((yield* Datasets.update(id, { name: "cities" })).version, changed.version + 1)
      assert.strictEqual((yield* Datasets.get(id)).name, "cities")
      assert.deepStrictEqual((yield* Stream.runCollect(Datasets.list())).map(({ name }) => name), ["cities"])
      yield* Datasets.remove(id)
      assert.strictEqual((yield* Effect.flip(Datasets.get(id)))._tag, "NotFound")
    })))
})

describe("Feedback", () => {
  it.live("feedback on a run is given, replaced, listed and deleted", () =>
    served(Effect.gen(function*() {
      const { run_id } = yield* AgentRuns.run("assistant", { message: "Capital?", user_id: "ann" })
      yield* Feedback.give(run_id, { score: 3, key: "style" })
      yield* Feedback.give(run_id, { score: true })
      const given = yield* Feedback.give(run_id, { score: false, comment: "Too short" })
      assert.deepInclude(given, { run_id, key: "rating", source: "user" })
      assert.sameDeepMembers((yield* Feedback.ofRun(run_id)).map(({ key, score }) => [key, score]), [
        ["style", 3],
        ["rating", false]
      ])
      const listed = yield* Stream.runCollect(Feedback.list({ key: "rating", user_id: "ann" }))
      assert.deepStrictEqual(listed, [given])
      assert.deepStrictEqual(yield* Stream.runCollect(Feedback.list({ source: "scorer" })), [])
      yield* Feedback.remove(given.id)
      assert.deepStrictEqual((yield* Feedback.ofRun(run_id)).map(({ key }) => key), ["style"])
    })))
})
