// A workflow with a team in it whose member asks before it pays, and the decisions about a run of it.
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { type Fields, list, serve } from "../Wire.ts"
import { first, last, proceed, resolved } from "./Flows.ts"

export const delegate = (member_id: string, id: string) =>
  toolCall("delegate_task_to_member", { member_id, task: "pay" }, id)

/** Pays, after a confirmation. */
export const paying = Effect.fnUntraced(
  function*(options: Partial<Tool.Options<Schema.Codec<{ readonly amount: number }>>>) {
    const paid: Array<number> = []
    const pay = Tool.make({
      name: "pay",
      parameters: Schema.Struct({ amount: Schema.Int }),
      ...options,
      execute: ({ amount }) => (paid.push(amount), `paid ${amount}`)
    })
    return { paid, pay }
  }
)

/** The leader's own tool, after a confirmation. */
export const signing = () => {
  const signed: Array<string> = []
  const execute = () => (signed.push("signed"), "signed")
  return { signed, sign: Tool.make({ name: "sign", requiresConfirmation: true, execute }) }
}

export interface Given {
  readonly pay?: Partial<Tool.Options<Schema.Codec<{ readonly amount: number }>>>
  /** Of the one who pays. */
  readonly payer?: ReadonlyArray<Script.Turn>
  readonly leader?: ReadonlyArray<Script.Turn>
  readonly leaderTools?: ReadonlyArray<Tool.Tool>
  readonly flow?: { readonly streamExecutorEvents?: boolean }
  /** Who may call; everybody, when left out. */
  readonly authorization?: TestServer.Options["authorization"]
}

const asking: ReadonlyArray<Script.Turn> = [[toolCall("pay", { amount: 5 }, "pay_1")], [text("I paid.")]]

/** A workflow with a team in it, in which a team has a member who asks before it pays. */
export const served = Effect.fnUntraced(function*(given: Given = {}) {
  const { paid, pay } = yield* paying({ requiresConfirmation: true, ...given.pay })
  const payer = yield* Script.make(given.payer ?? asking)
  const member = Agent.make({ id: "payer", name: "Payer", model: payer.model, tools: [pay] })
  const inner = yield* Script.make([[delegate("payer", "inner_1")], [text("They paid.")]])
  const office = Team.make({ id: "office", name: "Office", model: inner.model, members: [member] })
  const leader = yield* Script.make(given.leader ?? [[delegate("office", "call_1")], [text("All paid.")]])
  const desk = Team.make({
    id: "desk",
    name: "Desk",
    model: leader.model,
    tools: given.leaderTools,
    members: [office]
  })
  const flow = Workflow.make({
    id: "flow",
    ...given.flow,
    steps: [first, Step.make({ name: "ask", team: "desk" }), last]
  })
  const server = yield* serve({ teams: [desk], workflows: [flow], authorization: given.authorization })
  return { server, paid, payer, leader }
})

export const executorRequirements = (run: unknown) =>
  list(list(run, "step_requirements").at(-1), "executor_requirements")

/** The answer to what the run waits for, and what has come of it. */
export const answer = (
  server: TestServer.TestServer,
  run: unknown,
  executor_requirements: unknown,
  more: object = {},
  headers: Fields = {}
) => proceed(server, "flow", { step_requirements: resolved(run, { executor_requirements, ...more }) }, headers)
