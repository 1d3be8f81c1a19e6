// Experiments over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { Datasets, Experiments } from "@svc-runtime/client/effect"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Deferred, Effect, Stream } from "effect"
import { withService } from "./ServedClient.ts"

const items = [
  { id: "france", input: "Capital of France?", expected_output: "Paris" },
  { id: "italy", input: "Capital of Italy?", expected_output: "Rome" }
]

const saying = (id: string, ...texts: ReadonlyArray<string>) =>
  Effect.map(
    ScriptedModel.make(texts.map((text) => [ScriptedModel.text(text)])),
    ({ model }) => Agent.make({ id, model })
  )

describe("Experiments", () => {
  it.live("experiments are made, awaited, listed, compared and deleted", () =>
    Effect.gen(function*() {
      const agents = [yield* saying("good", "Paris", "Rome"), yield* saying("poor", "Paris", "Milan")]
      yield* withService(
        { agents },
        Effect.gen(function*() {
          const { id: dataset_id } = yield* Datasets.create({ name: "capitals", items })
          const given = { dataset_id, scorers: [{ type: "exact" }] } as const
          const good = yield* Experiments.run({ ...given, agent_id: "good" })
          assert.deepInclude(good, { status: "COMPLETED", items_done: 2, agent_id: "good" })
          assert.strictEqual(good.summary?.pass_rate, 1)
          const poor = yield* Experiments.run({ ...given, agent_id: "poor" })
          const listed = yield* Stream.runCollect(Experiments.list({ dataset_id }))
          assert.deepStrictEqual(listed.map(({ id }) => id), [poor.id, good.id])
          const results = yield* Stream.runCollect(Experiments.items(poor.id))
          assert.deepStrictEqual(results.map(({ item_id, status }) => `${item_id} ${status}`), [
            "france passed",
            "italy failed"
          ])
          assert.deepInclude(yield* Experiments.compare(good.id, poor.id), { regressions: 1, unchanged: 1 })
          const differences = yield* Stream.runCollect(Experiments.differences(good.id, poor.id))
          assert.deepStrictEqual(differences.map(({ item_id }) => item_id as string), ["italy", "france"])
          yield* Experiments.remove(poor.id)
          assert.strictEqual((yield* Effect.flip(Experiments.get(poor.id)))._tag, "NotFound")
        })
      )
    }))

  it.live("an experiment that was started is cancelled", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const waiting = ScriptedModel.wait(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      const { model } = yield* ScriptedModel.make([[waiting]])
      yield* withService(
        { agents: [Agent.make({ id: "slow", model })] },
        Effect.gen(function*() {
          const { id: dataset_id } = yield* Datasets.create({ name: "capitals", items })
          const id = yield* Experiments.start({ dataset_id, agent_id: "slow", scorers: [{ type: "exact" }] })
          yield* Deferred.await(reached)
          yield* Experiments.cancel(id)
          assert.strictEqual((yield* Experiments.wait(id)).status, "CANCELLED")
        })
      )
    }))
})
