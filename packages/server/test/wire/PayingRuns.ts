// Runs of every kind that pause before they pay, and how tests wait for them.
import { assert } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Approval from "@svc-runtime/domain/Approval"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, get, list, serve } from "../Wire.ts"
import { storeWith } from "./StoredApprovalRows.ts"

export const payer = Effect.gen(function*() {
  const paid: Array<string> = []
  const pay = Tool.make({
    name: "pay",
    approval: "required",
    // a run whose resume was executed, but had no response, starts the call after all
    effects: "idempotent",
    execute: () => (paid.push("paid"), "paid")
  })
  const { model } = yield* Script.make([[toolCall("pay", {}, "call_1")], [text("I paid.")]])
  return { paid, agent: Agent.make({ id: "payer", model, tools: [pay] }) }
})

const team = Effect.fnUntraced(function*(agent: Agent.Agent) {
  const { model } = yield* Script.make([
    [toolCall("delegate_task_to_member", { member_id: "payer", task: "pay" }, "call_0")],
    [text("All paid.")]
  ])
  return { teams: [Team.make({ id: "desk", model, members: [agent] })] }
})

/** Where the payer is, and what is run. */
export const kinds: Readonly<
  Record<string, readonly [path: string, parts: (agent: Agent.Agent) => Effect.Effect<Partial<TestServer.Options>>]>
> = {
  "an agent": ["/agents/payer", (agent) => Effect.succeed({ agents: [agent] })],
  "a team": ["/teams/desk", team],
  "a workflow": [
    "/workflows/flow",
    (agent) =>
      Effect.succeed({ workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "pay", agent })] })] })
  ],
  "a nested workflow": [
    "/workflows/outer",
    (agent) => {
      const workflow = Workflow.make({ id: "inner", steps: [Step.make({ name: "pay", agent })] })
      return Effect.succeed({ workflows: [Workflow.make({ id: "outer", steps: [workflow] })] })
    }
  ],
  "a team in a workflow": [
    "/workflows/flow",
    (agent) =>
      Effect.map(team(agent), ({ teams: [desk] }) => ({
        workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "pay", team: desk! })] })]
      }))
  ]
}

export const begin = (server: TestServer.TestServer, path: string) =>
  ask(server, `${path}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "pay", run_id: "r", session_id: "s", stream: "false" })
  })

export const find = (server: TestServer.TestServer, path: string) => get(server, `${path}/runs/r?session_id=s`)

/** Time passes until the run has come to its end. */
export const ending = (server: TestServer.TestServer, path: string) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), find(server, path)), {
    until: ({ json }) => at(json, "status") === "COMPLETED",
    times: 30
  })

export const waiting = Effect.fnUntraced(function*(kind: string, more: Partial<TestServer.Options> = {}) {
  const [path, parts] = kinds[kind]!
  const { agent, paid } = yield* payer
  const { layer, store } = yield* storeWith()
  const server = yield* serve({ ...yield* parts(agent), approvals: layer, ...more })
  assert.strictEqual(at((yield* begin(server, path)).json, "status"), "PAUSED")
  const [id] = column(list((yield* get(server, "/approvals")).json, "data"), "id")
  return { id: Approval.Id.make(String(id)), paid, path, server, store }
})

export const everything = { after: undefined, limit: 10 }
