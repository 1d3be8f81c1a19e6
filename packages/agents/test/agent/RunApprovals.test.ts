import { assert, describe, it } from "@effect/vitest"
import type * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Layer } from "effect"
import { add } from "./CalledTools.ts"
import { type Given, run } from "./Harness.ts"

const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })

/** The runs whose approvals are closed by an agent with a tool that needs an approval. */
const closed = Effect.fnUntraced(function*(turns: Parameters<typeof run>[1], given: Given = {}) {
  const runs: Array<Run.Id> = []
  const store = Layer.mock(ApprovalStore, { closeForRun: (id) => Effect.sync(() => void runs.push(id)) })
  const { output } = yield* run({ tools: [add, pay] }, turns, {
    ...given,
    approvals: yield* Effect.provide(ApprovalStore, store)
  })
  assert.strictEqual(output.status, "COMPLETED")
  return runs
})

describe("the approvals of a run that ends", () => {
  it.effect("a run without a call that needs an approval sends the store nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* closed([[toolCall("add", { a: 1, b: 2 })], [text("It is 3.")]]), [])
    }))

  it.effect("a later attempt closes them, although its journal has no call", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* closed([[text("Done.")]], { attempt: 2 }), ["run"])
    }))
})
