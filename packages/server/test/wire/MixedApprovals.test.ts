// A run waits for an approval and for something else, and the approval is resolved first: the run says so, what clients
// send leaves the call out, and a stale decision that is the same counts.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { approve, reject } from "@svc-runtime/client"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, failed, get, list, post as postJson, serve } from "../Wire.ts"
import { post } from "./Flows.ts"

Tier.oneIn(6)

const kinds = ["agents", "teams", "workflows", "parallel"] as const
type Kind = typeof kinds[number]

/** A component that calls `buy`, which needs an approval, and `send`, which needs a confirmation. */
const serving = Effect.fnUntraced(function*(kind: Kind) {
  const done: Array<string> = []
  const tool = (name: string, options: object) =>
    Tool.make({ name, ...options, execute: () => (done.push(name), `did ${name}`) })
  const tools = [tool("buy", { approval: "required" }), tool("send", { requiresConfirmation: true })]
  const calls = [Script.toolCall("buy", {}, "buy_1"), Script.toolCall("send", {}, "send_1")]
  const agentOf = Effect.fnUntraced(function*(id: string, called: ReadonlyArray<ReturnType<typeof Script.toolCall>>) {
    const { model } = yield* Script.make([[...called], [Script.text("Done.")]])
    return Agent.make({ id, model, tools })
  })
  const both = yield* agentOf("both", calls)
  const [buyer, sender] = [yield* agentOf("buyer", calls.slice(0, 1)), yield* agentOf("sender", calls.slice(1))]
  const leader = yield* Script.make([
    ["buyer", "sender"].map((member_id) =>
      Script.toolCall("delegate_task_to_member", { member_id, task: "go" }, member_id)
    ),
    [Script.text("Done.")]
  ])
  const team = Team.make({ id: "team", model: leader.model, members: [buyer, sender] })
  const flow = Workflow.make({ id: "flow", steps: [both] })
  const wide = Workflow.make({ id: "wide", steps: [Parallel.make({ name: "all", steps: [both] })] })
  const server = yield* serve({ agents: [both], teams: [team], workflows: [flow, wide] })
  const path = {
    agents: "/agents/both",
    teams: "/teams/team",
    workflows: "/workflows/flow",
    parallel: "/workflows/wide"
  }
  const runs = `${path[kind]}/runs`
  const first = (yield* post(server, runs, { message: "go", session_id: "s", run_id: "r", stream: "false" })).json
  assert.strictEqual(at(first, "status"), "PAUSED")
  const read = Effect.map(get(server, `${runs}/r?session_id=s`), ({ json }) => json)
  const proceed = (decisions: object) =>
    post(server, `${runs}/r/continue`, {
      session_id: "s",
      stream: "false",
      ...Object.fromEntries(Object.entries(decisions).map(([key, value]) => [key, JSON.stringify(value)]))
    })
  return { done, first, proceed, read, server }
})

const resolve = Effect.fnUntraced(function*(server: TestServer.TestServer, status: string) {
  const [approval] = list((yield* get(server, "/approvals?status=pending")).json, "data")
  const path = `/approvals/${encodeURIComponent(String(at(approval, "id")))}/resolve`
  assert.strictEqual((yield* postJson(server, path, { status })).status, 200)
})

const callsOf = (run: unknown) =>
  Array.isArray(at(run, "requirements"))
    ? list(run, "requirements")
    : list(run, "step_requirements").flatMap((step) => list(step, "executor_requirements"))

type Sent = Readonly<Record<string, unknown>>

/** All requirements of the run, each with what is sent of its call. */
const sent = (run: unknown, byTool: Readonly<Record<string, Sent>>) => {
  const decided = (call: unknown): Sent => {
    const { tool_execution, ...rest } = call as Sent
    const { tool_execution: more, ...given } = byTool[String(at(tool_execution, "tool_name"))] ?? {}
    return { ...rest, ...given, tool_execution: { ...tool_execution as Sent, ...more as Sent | undefined } }
  }
  return Array.isArray(at(run, "requirements"))
    ? { requirements: list(run, "requirements").map(decided) }
    : {
      step_requirements: list(run, "step_requirements").map((step) => ({
        ...step as Sent,
        executor_requirements: list(step, "executor_requirements").map(decided)
      }))
    }
}

const statuses = (run: unknown) =>
  Object.fromEntries(
    callsOf(run).map((call) => [String(at(call, "tool_execution", "tool_name")), at(call, "approval_status") ?? null])
  )

describe("a run whose approval is resolved while it waits for something else", () => {
  it.effect.each(kinds)("the run shows it, and approve and reject leave it out: %s", (kind) =>
    Effect.gen(function*() {
      for (const [decide, done] of [[approve, ["buy", "send"]], [reject, ["buy"]]] as const) {
        const service = yield* serving(kind)
        yield* resolve(service.server, "approved")
        const run = yield* service.read
        assert.deepStrictEqual(statuses(run), { buy: "approved", send: null })
        const { json, text } = yield* service.proceed(decide(run as never))
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.deepStrictEqual(service.done.toSorted(), [...done])
      }
    }))

  it.effect.each(kinds)(
    "a run that was read before is approved with the same decision: %s",
    (kind) =>
      Effect.gen(function*() {
        const { done, first, proceed, server } = yield* serving(kind)
        yield* resolve(server, "approved")
        const { json, text } = yield* proceed(approve(first as never))
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.deepStrictEqual(done.toSorted(), ["buy", "send"])
      })
  )

  it.effect.each(kinds)(
    "a rejection counts for what was rejected, whatever its note is: %s",
    (kind) =>
      Effect.gen(function*() {
        const { done, first, proceed, server } = yield* serving(kind)
        yield* resolve(server, "rejected")
        const { json, text } = yield* proceed(reject(first as never, "Late"))
        assert.strictEqual(at(json, "status"), "COMPLETED", text)
        assert.deepStrictEqual(done, [])
      })
  )

  it.effect.each(kinds)(
    "a note or arguments without a decision are 409, and nothing counts then: %s",
    (kind) =>
      Effect.gen(function*() {
        const confirmation_note = "Not for me."
        for (
          const lost of [{ confirmation_note }, { tool_execution: { confirmation_note } }, {
            tool_execution: { tool_args: { more: true } }
          }]
        ) {
          const { done, first, proceed, server } = yield* serving(kind)
          yield* resolve(server, "approved")
          const refused = yield* proceed(sent(first, { buy: lost, send: { confirmation: true } }))
          failed(refused, 409, "CONFLICT", /buy has been approved by now.*each other call: send \(send_1\)/)
          assert.deepStrictEqual(done, [])
          const { json, text } = yield* proceed(sent(first, { buy: {}, send: { confirmation: true } }))
          assert.strictEqual(at(json, "status"), "COMPLETED", text)
          assert.deepStrictEqual(done.toSorted(), ["buy", "send"])
        }
      })
  )

  it.effect.each(kinds)(
    "another decision is 409, which names what waits for one: %s",
    (kind) =>
      Effect.gen(function*() {
        const { done, first, proceed, server } = yield* serving(kind)
        yield* resolve(server, "rejected")
        const refused = yield* proceed(approve(first as never))
        failed(refused, 409, "CONFLICT", /buy has been rejected by now.*each other call: send \(send_1\)/)
        assert.deepStrictEqual(done, [])
      })
  )
})
