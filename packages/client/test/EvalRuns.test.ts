// Evaluation runs over real HTTP. The demo model is the judge.
import { assert, describe, it } from "@effect/vitest"
import { EvalRuns } from "@svc-runtime/client/effect"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Deferred, Effect, Stream } from "effect"
import { withService } from "./ServedClient.ts"

const question = { agent_id: "assistant", eval_type: "accuracy", input: "Capital?", expected_output: "Paris" } as const

describe("EvalRuns", () => {
  it.live("an evaluation is made, awaited, listed, renamed and deleted", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Paris")], [ScriptedModel.fail()]])
      const agents = [Agent.make({ id: "assistant", model })]
      yield* withService(
        { model: "demo", agents },
        Effect.gen(function*() {
          const ended = yield* EvalRuns.run(question)
          assert.deepInclude(ended, { status: "COMPLETED", runs_done: 1, agent_id: "assistant" })
          assert.deepStrictEqual(yield* EvalRuns.get(ended.id), ended)
          const failed = yield* EvalRuns.run({ ...question, eval_type: "agent_as_judge", criteria: "It is short" })
          assert.strictEqual(failed.status, "FAILED")
          assert.isString(failed.error)
          assert.deepStrictEqual(yield* Stream.runCollect(EvalRuns.list({ eval_types: ["accuracy"] })), [ended])
          const all = yield* Stream.runCollect(EvalRuns.list({ status: ["FAILED", "COMPLETED"] }))
          assert.sameMembers(all.map(({ id }) => id), [failed.id, ended.id])
          assert.strictEqual((yield* EvalRuns.rename(ended.id, "capital")).name, "capital")
          yield* EvalRuns.remove([ended.id, "unknown"])
          assert.strictEqual((yield* Effect.flip(EvalRuns.get(ended.id)))._tag, "NotFound")
        })
      )
    }))

  it.live("an evaluation that was started is cancelled", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const waiting = ScriptedModel.wait(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      const { model } = yield* ScriptedModel.make([[waiting]])
      const agents = [Agent.make({ id: "assistant", model })]
      yield* withService(
        { model: "demo", agents },
        Effect.gen(function*() {
          const id = yield* EvalRuns.start(question)
          yield* Deferred.await(reached)
          yield* EvalRuns.cancel(id)
          assert.strictEqual((yield* EvalRuns.wait(id)).status, "CANCELLED")
        })
      )
    }))
})
