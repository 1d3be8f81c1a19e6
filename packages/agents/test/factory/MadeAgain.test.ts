// Runs of teams and workflows that factories made, after the process that made them is gone: what was finished stays as
// it is, and the rest is done by what the factory makes of the same input.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Option } from "effect"
import { open, type Options, session } from "../../../engine/test/run/Engine.ts"
import type { Component, Factory } from "../../src/factory/Factory.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import { FactoryResolver, type Resolved } from "../../src/factory/FactoryResolver.ts"
import * as TeamFactory from "../../src/team/TeamFactory.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as WorkflowFactory from "../../src/workflow/WorkflowFactory.ts"
import { commandOf } from "../agent/Harness.ts"

const request = { run_id: Run.Id.make("run"), session_id: session, filter: { owner: Owner.anyone } }

const { agent: _, ...command } = commandOf(Agent.make({ id: "unknown" }), { stream: false })

const caller = { userId: null, sessionId: session, trusted: { claims: {}, scopes: new Set<string>() }, request: null }

/**
 * Begins a run of what the factory makes, ends the process when `reached`, and gives how the run ends in the next one.
 */
const cutOff = Effect.fnUntraced(function*<C extends Component>(
  factory: Factory<C>,
  served: Options,
  commandOf: (resolved: Resolved<C>) => RunCommand,
  reached: Effect.Effect<void>
) {
  const before = yield* open({ ...served, drainTimeout: 0 })
  const resolver = yield* Effect.provide(FactoryResolver, FactoryResolver.layer({ timeout: "1 second" }))
  yield* Effect.scoped(Effect.gen(function*() {
    const input = FactoryInput.text(`{"tenant":"acme"}`)
    yield* before.engine.start(commandOf(yield* resolver.resolve(factory, { ...caller, input })))
  }))
  yield* reached
  yield* before.close
  const after = yield* open({ ...served, memory: before.memory })
  assert.strictEqual(yield* after.engine.recover, 1)
  return Option.getOrThrow(yield* after.engine.output(request))
})

describe("a run that resumes with a component that a factory makes again", () => {
  it.effect("a workflow does what was left to do, with the same input", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const did: Array<string> = []
      let made = 0
      const factory = WorkflowFactory.make({
        id: "made",
        build: ({ input }) => {
          const time = ++made
          const tenant = String(input?.["tenant"])
          return Workflow.make({
            id: "made",
            steps: [
              Step.make({ name: "first", run: () => (did.push(`first ${time} ${tenant}`), "once") }),
              Step.make({
                name: "second",
                effects: "idempotent",
                run: () =>
                  time === 1
                    ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
                    : (did.push(`second ${time} ${tenant}`), `done for ${tenant}`)
              })
            ]
          })
        }
      })
      const output = yield* cutOff(
        factory,
        { workflows: [factory] },
        ({ component: workflow, ...made }) => ({ ...command, ...made, workflow }),
        Deferred.await(reached)
      )
      assert.deepInclude(output, { status: "COMPLETED", content: "done for acme" })
      assert.deepStrictEqual(did, ["first 1 acme", "second 2 acme"])
    }))

  it.effect("a team resumes its member, with the same input", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const did: Array<string> = []
      let made = 0
      const leader = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "clerk", task: "look" }, "call_1")],
        [Script.text("All done.")]
      ])
      const clerk = yield* Script.make([
        [Script.toolCall("look", {}, "look_1")],
        [Script.wait(Deferred.succeed(reached, undefined)), Script.hang],
        [Script.text("Seen.")]
      ])
      const factory = TeamFactory.make({
        id: "made",
        build: ({ input }) => {
          const time = ++made
          const look = Tool.make({
            name: "look",
            execute: () => (did.push(`look ${time} ${String(input?.["tenant"])}`), "looked")
          })
          return Team.make({
            id: "made",
            name: `of ${String(input?.["tenant"])}`,
            model: leader.model,
            members: [Agent.make({ id: "clerk", model: clerk.model, tools: [look] })]
          })
        }
      })
      const output = yield* cutOff(
        factory,
        { teams: [factory] },
        ({ component: team, ...made }) => ({ ...command, ...made, team }),
        Deferred.await(reached)
      )
      assert.deepInclude(output, { status: "COMPLETED", content: "All done.", team_name: "of acme" })
      assert.deepStrictEqual(did, ["look 1 acme"])
      assert.strictEqual(made, 2)
    }))
})
