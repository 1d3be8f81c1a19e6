// What code of authors throws: where the log has it.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Condition from "@svc-runtime/agents/workflow/define/Condition"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serve } from "../Wire.ts"

Tier.oneIn(3)

const throwing = (): never => {
  throw new Error("the till is empty")
}

const dying = () => Effect.sync(throwing)

interface Failure {
  readonly what: string
  readonly given: (model: Agent.Options["model"]) => TestServer.Options
  readonly kind: "agents" | "workflows"
  /** What the line names beside the run. */
  readonly names: Readonly<Record<string, string>>
}

const payingWith = (execute: () => never | Effect.Effect<never>) => (model: Agent.Options["model"]) => ({
  agents: [Agent.make({ id: "desk", model, tools: [Tool.make({ name: "pay", execute })] })]
})

const step = Step.make({ name: "inner", run: () => "x" })

const flow = (steps: Parameters<typeof Workflow.make>[0]["steps"]) => () => ({
  workflows: [Workflow.make({ id: "desk", steps: steps as readonly [typeof step] })]
})

const failures: ReadonlyArray<Failure> = [
  { what: "a tool throws", given: payingWith(throwing), kind: "agents", names: { tool: "pay" } },
  { what: "the Effect of a tool dies", given: payingWith(dying), kind: "agents", names: { tool: "pay" } },
  {
    what: "a hook throws",
    given: (model) => ({ agents: [Agent.make({ id: "desk", model, preHooks: [{ name: "guard", run: throwing }] })] }),
    kind: "agents",
    names: { hook: "guard" }
  },
  {
    what: "a hook of a stage throws",
    given: (model) => ({
      agents: [Agent.make({ id: "desk", model, hooks: [{ name: "guard", beforeModel: throwing }] })]
    }),
    kind: "agents",
    names: { hook: "guard" }
  },
  {
    what: "the function of instructions throws",
    given: (model) => ({ agents: [Agent.make({ id: "desk", model, instructions: throwing })] }),
    kind: "agents",
    names: {}
  },
  {
    what: "a step throws",
    given: flow([Step.make({ name: "pay", run: throwing })]),
    kind: "workflows",
    names: { step: "pay" }
  },
  {
    what: "the Effect of a step dies",
    given: flow([Step.make({ name: "pay", run: dying })]),
    kind: "workflows",
    names: { step: "pay" }
  },
  {
    what: "the function of a workflow throws",
    given: () => ({ workflows: [Workflow.make({ id: "desk", run: throwing })] }),
    kind: "workflows",
    names: {}
  },
  {
    what: "the evaluator of a condition throws",
    given: flow([Condition.make({ name: "pay", evaluator: throwing, steps: [step] })]),
    kind: "workflows",
    names: { step: "pay" }
  },
  {
    what: "the selector of a router throws",
    given: flow([Router.make({ name: "pay", selector: throwing, choices: [step] })]),
    kind: "workflows",
    names: { step: "pay" }
  },
  {
    what: "the end condition of a loop throws",
    given: flow([Loop.make({ name: "pay", endCondition: throwing, steps: [step] })]),
    kind: "workflows",
    names: { step: "pay" }
  }
]

describe("an exception of an author's code", () => {
  for (const { given, kind, names, what } of failures) {
    it.effect(`the exception is logged once, with its stack, the run, its session and what threw: ${what}`, () =>
      Effect.gen(function*() {
        const { model } = yield* Script.make([[Script.toolCall("pay", {})], [Script.text("No.")]])
        const server = yield* serve(given(model))
        const body = new URLSearchParams({ stream: "false", message: "hi", run_id: "r", session_id: "s" })
        const response = yield* server.fetch(`/${kind}/desk/runs`, { method: "POST", body })
        const { status } = yield* Effect.promise(() => response.json() as Promise<{ readonly status: string }>)
        assert.strictEqual(status, "tool" in names ? "COMPLETED" : "ERROR")
        const lines = server.logs.filter(({ cause, message }) => `${message}${cause}`.includes("the till is empty"))
        assert.lengthOf(lines, 1)
        assert.match(lines[0]?.cause ?? "", /at .*throwing .*AuthorFailures\.test\.ts/)
        assert.deepInclude(lines[0]?.annotations, { run_id: "r", session_id: "s", ...names })
      }))
  }

  for (const [what, build] of [["throws", throwing], ["dies", dying]] as const) {
    it.effect(`a factory that ${what} is logged once, with its stack and the request`, () =>
      Effect.gen(function*() {
        const server = yield* serve({ agents: [AgentFactory.make({ id: "desk", build })] })
        const body = new URLSearchParams({ stream: "false", message: "hi" })
        const response = yield* server.fetch("/agents/desk/runs", { method: "POST", body })
        assert.strictEqual(response.status, 500)
        const lines = server.logs.filter(({ cause, message }) => `${message}${cause}`.includes("the till is empty"))
        assert.lengthOf(lines, 1)
        assert.match(lines[0]?.cause ?? "", /at .*throwing .*AuthorFailures\.test\.ts/)
        assert.strictEqual(lines[0]?.message, "The agent factory 'desk' failed")
        assert.isString(lines[0]?.annotations["request_id"])
      }))
  }
})
