// Workflows over MCP: run, with progress, paused and continued, cancelled, and found, by callers with the scope.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveClosed, token } from "../authorization/Closed.ts"
import { at, column, list, serve } from "../Wire.ts"
import { askingFlow, plainFlow } from "../wire/Flows.ts"
import { call, messages, noRun, open, post, refused, request, type Session } from "./Mcp.ts"

Tier.oneIn(8)

type Structured = Readonly<Record<string, unknown>>

const served = (...workflows: NonNullable<TestServer.Options["workflows"]>) =>
  Effect.flatMap(
    serve({ workflows: workflows.length === 0 ? [askingFlow, plainFlow] : workflows }),
    (server) => open(server)
  )

const run = (session: Session, workflow_id: string, more: object = {}) =>
  call(session, "run_workflow", { workflow_id, message: "go", session_id: "s", ...more })

const structuredOf = (result: unknown) => at(result, "structuredContent") as Structured

describe("run_workflow", () => {
  it.effect("run_workflow waits for the output, and names its run and session", () =>
    Effect.gen(function*() {
      const session = yield* served()
      const result = yield* run(session, plainFlow.id)
      assert.strictEqual(structuredOf(result)["status"], "COMPLETED")
      assert.strictEqual(structuredOf(result)["session_id"], "s")
      const runs = yield* call(session, "get_session_runs", { session_id: "s", session_type: "workflow" })
      const [stored] = list(runs, "structuredContent", "result")
      assert.strictEqual(at(stored, "workflow_id"), plainFlow.id)
      assert.strictEqual(at(stored, "content"), at(result, "content", 0, "text"))
      const sessions = yield* call(session, "get_sessions", { session_type: "workflow" })
      assert.deepStrictEqual(column(at(sessions, "structuredContent", "data"), "workflow_id"), [plainFlow.id])
    }))

  it.effect("run_workflow sends the executing step to callers who want progress", () =>
    Effect.gen(function*() {
      const session = yield* served()
      const call = request("tools/call", {
        name: "run_workflow",
        arguments: { workflow_id: plainFlow.id, message: "go" },
        _meta: { progressToken: "p" }
      })
      const notified = messages(yield* post(session.server, call, { headers: session.headers })).slice(0, -1)
      const steps = plainFlow.steps.map(({ name }) => name)
      assert.deepStrictEqual(notified.map((message) => at(message, "params", "message")), [
        "Workflow started",
        ...steps.flatMap((name) => [`Step started: ${name}`, `Step completed: ${name}`])
      ])
      assert.deepStrictEqual(
        notified.map((message) => at(message, "params", "progress")),
        notified.map((_, index) => index)
      )
    }))

  it.effect("run_workflow says what is unknown, and what failed", () =>
    Effect.gen(function*() {
      const broken = Workflow.make({
        id: "broken",
        steps: [Step.make({
          name: "bad",
          onError: "fail",
          run: () => {
            throw new Error("no luck")
          }
        })]
      })
      const session = yield* served(broken)
      refused(yield* run(session, "nothing"), "Error calling tool 'run_workflow': Workflow nothing not found")
      const failed = yield* run(session, "broken")
      assert.isTrue(at(failed, "isError"))
      assert.match(String(at(failed, "content", 0, "text")), /^Error calling tool 'run_workflow': ./)
    }))
})

describe("a workflow that waits for a person", () => {
  it.effect("a paused workflow says what it waits for, and continues with the decision", () =>
    Effect.gen(function*() {
      const session = yield* served()
      for (const [confirmed, content] of [[true, "after agreed"], [false, "after did go"]] as const) {
        const answer = yield* run(session, "asking", { session_id: `s-${confirmed}` })
        assert.match(String(at(answer, "content", 0, "text")), /\n\nThe run waits: Sure\?$/)
        const paused = structuredOf(answer)
        assert.strictEqual(paused["status"], "PAUSED")
        const [requirement, ...rest] = list(paused, "requirements")
        assert.deepStrictEqual(rest, [])
        const result = yield* call(session, "continue_run", {
          run_id: paused["run_id"],
          session_id: paused["session_id"],
          workflow_id: "asking",
          requirements: [{ ...requirement as Structured, confirmed }]
        })
        assert.strictEqual(structuredOf(result)["status"], "COMPLETED", JSON.stringify(result))
        assert.strictEqual(at(result, "content", 0, "text"), content)
      }
    }))

  it.effect("a failed step waits for the decision whether it is retried", () =>
    Effect.gen(function*() {
      let tries = 0
      const failing = Workflow.make({
        id: "failing",
        steps: [Step.make({
          name: "bad",
          onError: "pause",
          run: () => {
            tries++
            if (tries === 1) throw new Error("no luck")
            return "luck"
          }
        })]
      })
      const session = yield* served(failing)
      const paused = structuredOf(yield* run(session, "failing"))
      assert.strictEqual(paused["status"], "PAUSED")
      const [requirement] = list(paused, "requirements")
      const continueRun = (more: object) =>
        call(session, "continue_run", { run_id: paused["run_id"], session_id: "s", workflow_id: "failing", ...more })
      refused(
        yield* continueRun({}),
        "Error calling tool 'continue_run': Cannot continue run - unresolved error requirements: ['bad']. Send " +
          "`decision`, as approve(run) (\"retry\") and reject(run) (\"skip\") of the clients do"
      )
      const result = yield* continueRun({ requirements: [{ ...requirement as Structured, decision: "retry" }] })
      assert.strictEqual(at(result, "content", 0, "text"), "luck")
    }))
})

describe("a workflow in which a member of a team waits", () => {
  const paying = Effect.fnUntraced(
    function*(options: Pick<Tool.Options<undefined>, "approval" | "requiresConfirmation">) {
      const pay = Tool.make({ name: "pay", ...options, execute: () => "paid" })
      const payer = yield* Script.make([[Script.toolCall("pay", {}, "pay_1")], [Script.text("I paid.")]])
      const delegate = Script.toolCall("delegate_task_to_member", { member_id: "payer", task: "pay" }, "call_1")
      const leader = yield* Script.make([[delegate], [Script.text("All paid.")]])
      const member = Agent.make({ id: "payer", model: payer.model, tools: [pay] })
      const desk = Team.make({ id: "desk", model: leader.model, members: [member] })
      const session = yield* served(Workflow.make({ id: "flow", steps: [desk] }))
      const paused = structuredOf(yield* run(session, "flow"))
      assert.strictEqual(paused["status"], "PAUSED")
      const [requirement] = list(paused, "requirements")
      const continueRun = (more: object) =>
        call(session, "continue_run", { run_id: paused["run_id"], session_id: "s", workflow_id: "flow", ...more })
      return { continueRun, requirement: requirement as Structured, session }
    }
  )

  it.effect("the workflow continues with the decision in the requirement of the member's call", () =>
    Effect.gen(function*() {
      const { continueRun, requirement } = yield* paying({ requiresConfirmation: true })
      const executor_requirements = list(requirement, "executor_requirements").map((each) => ({
        ...each as Structured,
        confirmation: true
      }))
      const result = yield* continueRun({ requirements: [{ ...requirement, executor_requirements }] })
      assert.strictEqual(at(result, "content", 0, "text"), "All paid.")
    }))

  it.effect("a workflow that continued with an approval shows its output to a caller without a decision", () =>
    Effect.gen(function*() {
      const { continueRun, requirement, session } = yield* paying({ approval: "required" })
      assert.strictEqual(structuredOf(yield* continueRun({}))["status"], "PAUSED")
      const id = String(at(list(requirement, "executor_requirements")[0], "tool_execution", "approval_id"))
      yield* session.server.fetch(`/approvals/${encodeURIComponent(id)}/resolve`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"status":"approved"}`
      })
      assert.strictEqual(at(yield* continueRun({}), "content", 0, "text"), "All paid.")
    }))
})

describe("on a closed service", () => {
  it.effect("a scope for one workflow is enough for that one, and no other is shown", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ workflows: [askingFlow, plainFlow] })
      const scope = `workflows:${plainFlow.id}:run`
      const session = yield* open(server, { bearer: yield* token("ann", "config:read", scope) })
      assert.strictEqual(structuredOf(yield* run(session, plainFlow.id))["status"], "COMPLETED")
      refused(
        yield* run(session, "asking"),
        "Error calling tool 'run_workflow': Insufficient permissions. Required scope(s): workflows:run"
      )
      const config = yield* call(session, "get_platform_config")
      const [workflow, ...rest] = list(config, "structuredContent", "workflows")
      assert.deepStrictEqual(rest, [])
      assert.deepInclude(workflow, { id: plainFlow.id, is_factory: false, current_version: null, stage: null })
    }))

  it.effect("a run is cancelled by its own user, and not found by others", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ workflows: [askingFlow, plainFlow] })
      const ann = yield* open(server, { bearer: yield* token("ann", "workflows:run") })
      const paused = structuredOf(yield* run(ann, "asking"))
      const args = { run_id: paused["run_id"], session_id: "s", workflow_id: "asking" }
      const bob = yield* open(server, { bearer: yield* token("bob", "workflows:run") })
      for (const tool of ["cancel_run", "continue_run"]) {
        refused(yield* call(bob, tool, args), `Error calling tool '${tool}': ${noRun(paused["run_id"])}`)
      }
      assert.deepStrictEqual(structuredOf(yield* call(ann, "cancel_run", args)), {
        result: `Run ${paused["run_id"]} cancellation requested`
      })
    }))
})
