// A decision about a call of a tool that has changed since.
import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { open } from "../../../engine/test/run/Engine.ts"
import * as AgentFactory from "../../src/agent/define/AgentFactory.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import type { ComponentRef } from "../../src/runService/Components.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"
import * as TeamFactory from "../../src/team/TeamFactory.ts"

const at = { caller: Caller.internal(), run_id: Run.Id.make("run"), session_id: Session.Id.make("session") }

describe("a call that waits for a person while its tool changes", () => {
  const cases = (["agent", "team"] as const).flatMap((kind) => [
    [kind, "removed"] as const,
    [kind, "unconfirmed"] as const
  ])
  it.effect.each(cases)(
    "a call in a run of kind %s whose tool is %s is not made",
    ([kind, change]) =>
      Effect.gen(function*() {
        const done: Array<string> = []
        let isChanged = false
        const toolsNow = () => {
          const options = { name: "refund", execute: () => (done.push("refund"), "paid") }
          if (!isChanged) return [Tool.make({ ...options, requiresConfirmation: true })]
          return change === "removed" ? [] : [Tool.make(options)]
        }
        const { model, prompts } = yield* Script.make([[toolCall("refund", {}, "call")], [text("Done.")]])
        const { service } = yield* open({
          agents: [AgentFactory.make({ id: "desk", build: ({ id }) => Agent.make({ id, model, tools: toolsNow() }) })],
          teams: [TeamFactory.make({
            id: "desk",
            build: ({ id }) =>
              Team.make({ id, model, tools: toolsNow(), members: [Agent.make({ id: "member", model })] })
          })]
        })
        const component: ComponentRef = { kind, id: "desk" }
        const given = { ...at, component, factoryInput: FactoryInput.none }
        const started = yield* service.start({ ...given, message: "Hi", options: RunOptions.defaults })
        const output = yield* started.output
        const [requirement] = "requirements" in output ? output.requirements ?? [] : []
        isChanged = true
        const decide = (confirmation: boolean) =>
          service.continue({
            ...given,
            user_id: undefined,
            decisions: { requirements: [{ id: requirement?.id, confirmation }] },
            input: undefined,
            fork: undefined,
            stream: false,
            background: false
          })
        if (change === "removed") {
          const refused = yield* Effect.flip(decide(true))
          assert.include(refused.message, "cannot be called: the agent has no such tool any more. It can be rejected")
        }
        const run = yield* decide(false)
        if (run._tag !== "Started") return assert.fail("the run was not resumed")
        const ended = yield* run.output
        assert.deepStrictEqual({ done, status: ended.status }, { done: [], status: "COMPLETED" })
        assert.include(JSON.stringify(yield* prompts), "has rejected this call")
      })
  )
})
