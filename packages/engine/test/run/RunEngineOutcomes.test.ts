// Calls with an unknown outcome after a stop, and runs that were taken over elsewhere.
import { assert, describe, it } from "@effect/vitest"
import * as AgentContinuation from "@svc-runtime/agents/agent/continue/AgentContinuation"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted, session } from "./Engine.ts"
import { cutOff, restarted, start, watched } from "./Restarts.ts"

const noApprovals = { approvals: [], approver: { user_id: null } }

const paused = (runs: RunStore["Service"]) =>
  Effect.tap(
    Effect.flatMap(runs.snapshot(session, Run.Id.make("run"), { owner: Owner.anyone }), Effect.fromOption),
    ({ status }) => Effect.sync(() => assert.strictEqual(status, "PAUSED"))
  )

describe("a call with an unknown outcome", () => {
  const cases = [
    ["is made again when a person says so, under the same id", { confirmed: true }, ["run.0.0", "run.0.0"], "done 2"],
    ["is not made again when a person gives its result", { result: "it was done" }, ["run.0.0"], "it was done"],
    ["is not made again when a person gives it up", { confirmed: false, confirmation_note: "No." }, ["run.0.0"], "No."]
  ] as const
  for (const [what, decision, expected, result] of cases) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const { begun, ids, tool } = yield* cutOff("once")
        const { agent, before } = yield* start({ tools: [tool] }, [[toolCall("act", {}, "c")], [text("Done")]])
        yield* begun
        const { engine, find, runs } = yield* restarted(before, agent)
        yield* watched(engine)
        const snapshot = yield* paused(runs)
        const tools = [{ tool_call_id: "c", ...decision }]
        const entry = yield* AgentContinuation.plan(snapshot, { tools, input: undefined }, noApprovals)
        const handle = yield* Effect.flatMap(
          engine.continue({ snapshot, entry, stream: false, background: false }),
          Effect.fromOption
        )
        assert.deepInclude(yield* handle.output, { status: "COMPLETED", content: "Done" })
        assert.deepStrictEqual<ReadonlyArray<string>>(ids, expected)
        assert.strictEqual((yield* find()).tools?.[0]?.result, result)
      }))
  }

  it.effect("the outcome is unknown again when the service stops during a call that a person has allowed", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const ids: Array<string> = []
      const tool = Tool.make({
        name: "act",
        requiresConfirmation: true,
        execute: (_, { effectId }) => {
          ids.push(effectId)
          return Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        }
      })
      const { agent, command } = yield* scripted([[toolCall("act", {}, "c")]], { tools: [tool] })
      const before = yield* open({ drainTimeout: 0, agents: [agent] })
      yield* (yield* before.engine.start(command())).output
      const snapshot = yield* paused(before.runs)
      const tools = [{ tool_call_id: "c", confirmed: true }]
      const entry = yield* AgentContinuation.plan(snapshot, { tools, input: undefined }, noApprovals)
      yield* before.engine.continue({ snapshot, entry, stream: false, background: true })
      yield* Deferred.await(begun)
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      const output = yield* find()
      assert.strictEqual(output.status, "PAUSED")
      assert.deepInclude(output.tools?.[0], {
        confirmed: null,
        outcome_unknown: true,
        external_execution_required: true
      })
      assert.deepStrictEqual(output.requirements?.map(Requirement.isOpen), [true], "it is asked for anew")
      assert.notStrictEqual(output.requirements?.[0]?.id, snapshot.output.requirements?.[0]?.id)
      assert.strictEqual(ids.length, 1)
    }))

  it.effect("A call that a person has allowed is executed without another question when the service stopped before it.", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      const tool = Tool.make({
        name: "act",
        requiresConfirmation: true,
        execute: (_, { effectId }) => {
          ids.push(effectId)
          return "done"
        }
      })
      const { agent, command } = yield* scripted([[toolCall("act", {}, "c")], [text("Done")]], { tools: [tool] })
      const before = yield* open({ drainTimeout: 0, agents: [agent] })
      yield* (yield* before.engine.start(command())).output
      const snapshot = yield* paused(before.runs)
      const tools = [{ tool_call_id: "c", confirmed: true }]
      const entry = yield* AgentContinuation.plan(snapshot, { tools, input: undefined }, noApprovals)
      const { attempt, run_id } = snapshot
      yield* before.runs.resume({ run_id, attempt, node: "node", entry })
      const { engine, find } = yield* restarted(before, agent)
      yield* watched(engine)
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Done" })
      assert.strictEqual(ids.length, 1)
    }))
})

describe("a run that was taken over elsewhere", () => {
  it.effect("a run that was taken over is given up at its next step, and its writes are refused", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const waits = yield* Deferred.make<void>()
      const calls: Array<string> = []
      const look = Tool.make({ name: "look", execute: () => (calls.push("look"), "seen") })
      const slow = yield* open()
      const { agent, command } = yield* scripted(
        [
          [Script.wait(Deferred.succeed(waits, undefined)), Script.wait(gate), toolCall("look")],
          [text("From the other node")]
        ],
        { tools: [look] }
      )
      const handle = yield* slow.engine.start(command())
      yield* Deferred.await(waits)
      // the same name, as after a restart; the first process is only slow
      const other = yield* open({ memory: slow.memory, agents: [agent] })
      assert.strictEqual(yield* other.engine.recover, 1)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Effect.flip(handle.output))._tag, "RunHandedOver")
      yield* watched(other.engine)
      assert.deepInclude(yield* other.find(), { status: "COMPLETED", content: "From the other node" })
      assert.deepStrictEqual(calls, [], "no call is made under an attempt that is over")
    }))
})
