// A copy of a session, whose runs wait for approvals, while the approvals of the copies are made.
import { assert, describe, it } from "@effect/vitest"
import type * as Approval from "@svc-runtime/domain/Approval"
import * as Session from "@svc-runtime/domain/Session"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { open } from "../../../engine/test/run/Engine.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"

const caller = Caller.internal()
const query = { caller, component: { kind: "agent", id: "agent" }, session_id: Session.Id.make("session") } as const

/** A service with a session in which this many runs wait. `onCopy` is called with the approval of a copy. */
const served = Effect.fnUntraced(function*(
  count: number,
  onCopy: (approval: Approval.Approval, memory: Context.Context<RunStore>) => Effect.Effect<void>
) {
  const memory = yield* Layer.build(InMemory.layer)
  const approvals = Context.get(memory, ApprovalStore)
  const copies: Array<Approval.Approval> = []
  const create: typeof approvals.create = (approval, root, database) =>
    Effect.gen(function*() {
      if (approval.session_id !== query.session_id) yield* onCopy(approval, memory)
      const stored = yield* approvals.create(approval, root, database)
      if (approval.session_id !== query.session_id) copies.push(approval)
      return stored
    })
  const tool = Tool.make({ name: "send", approval: "required", execute: () => "sent" })
  const { model } = yield* Script.make(Array.from({ length: count }, () => [Script.toolCall("send", {}, "call")]))
  const { service } = yield* open({
    agents: [Agent.make({ id: "agent", model, tools: [tool] })],
    memory: Context.add(memory, ApprovalStore, { ...approvals, create })
  })
  for (let index = 0; index < count; index++) {
    const options = RunOptions.defaults
    const run = yield* service.start({ ...query, message: "Hi", factoryInput: FactoryInput.none, options })
    assert.strictEqual((yield* run.output).status, "PAUSED")
  }
  return { copies, service }
})

describe("the approvals of a copied session", () => {
  it.effect("a caller that goes away does not leave a copy without them", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const goes = yield* Deferred.make<void>()
      const { copies, service } = yield* served(
        2,
        () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goes))
      )
      const fork = yield* Effect.forkChild(service.fork({ ...query, user_id: undefined }), { startImmediately: true })
      yield* Deferred.await(begun)
      const left = yield* Effect.forkChild(Fiber.interrupt(fork), { startImmediately: true })
      yield* Deferred.succeed(goes, undefined)
      yield* Fiber.join(left)
      assert.lengthOf(copies, 2)
    }))

  it.effect("each copy has one, although others are decided meanwhile", () =>
    Effect.gen(function*() {
      const { copies, service } = yield* served(
        101,
        ({ run_id }, memory) => Effect.orDie(Context.get(memory, RunStore).supersede(run_id, 1))
      )
      yield* service.fork({ ...query, user_id: undefined })
      assert.lengthOf(copies, 101)
    }))
})
