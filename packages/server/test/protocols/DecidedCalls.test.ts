// What a person has made of a call, on each wire: the tool gets the arguments that a person has edited, and the model
// knows of these, and of a rejection.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { approve } from "@svc-runtime/client"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Exit, Schema } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { at, get, list, post, serve } from "../Wire.ts"
import * as PausedWires from "./PausedWires.ts"

Tier.oneIn(5)

/** An agent, alone, in a team and in a workflow, that sends to Ann. */
const components = Effect.gen(function*() {
  const sent: Array<unknown> = []
  const send = Tool.make({
    name: "send",
    requiresConfirmation: true,
    parameters: Schema.Struct({ to: Schema.String }),
    execute: ({ to }) => (sent.push(to), `sent to ${to}`)
  })
  const sender = yield* Script.make([[Script.toolCall("send", { to: "ann" }, "c1")], [Script.text("Done.")]])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "sender", task: "send" }, "d1")],
    [Script.text("All done.")]
  ])
  const agent = Agent.make({ id: "sender", model: sender.model, tools: [send] })
  const server = yield* serve({
    agents: [agent],
    teams: [Team.make({ id: "team", model: leader.model, members: [agent] })],
    workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "send", agent })] })],
    settings: { mcp: { enabled: true } }
  })
  return { sent, server, calls: sender.calls }
})

const run = { agents: "run_agent", teams: "run_team", workflows: "run_workflow" }
const idOf = { agents: "agent_id", teams: "team_id", workflows: "workflow_id" }

type Object = Readonly<Record<string, unknown>>

const edited = { accepted: true, editedArgs: { to: "bob" } }
const rejected = { accepted: false, note: "Sent to bob." }

const noted = { accepted: true, note: "It is the last one." }

const yes = { accepted: true }

const decided = ({ payload }: PausedWires.Target) => (requirement: unknown): Object => {
  const { tool_execution, ...rest } = requirement as Object
  const { accepted, editedArgs, note }: Object = payload as Object
  return {
    ...rest,
    confirmation: accepted,
    ...(note === undefined ? {} : { confirmation_note: note }),
    tool_execution: { ...tool_execution as Object, ...(editedArgs === undefined ? {} : { tool_args: editedArgs }) }
  }
}

const mcp: PausedWires.PausedWire = {
  name: "MCP",
  pause: Effect.fnUntraced(function*({ id, kind, server, session }) {
    const opened = yield* Mcp.open(server)
    yield* Mcp.call(opened, run[kind], { [idOf[kind]]: id, message: "go", session_id: session })
  }),
  resume: Effect.fnUntraced(function*(target) {
    const { id, kind, server, session } = target
    const paused = yield* PausedWires.runOf(target)
    const requirements = kind === "workflows"
      ? list(paused, "step_requirements").map((step) => ({
        ...step as Object,
        executor_requirements: list(step, "executor_requirements").map(decided(target))
      }))
      : list(paused, "requirements").map(decided(target))
    const opened = yield* Mcp.open(server)
    const named = { [idOf[kind]]: id, run_id: at(paused, "run_id"), session_id: session }
    yield* Mcp.call(opened, "continue_run", { ...named, requirements })
  })
}

const subjects = [["agents", "sender"], ["teams", "team"], ["workflows", "flow"]] as const

// a chat of the AI SDK has no place for edited arguments
const wires = [...PausedWires.wires.filter(({ name }) => name !== "the UI message stream"), mcp]

describe("edited arguments", () => {
  for (const wire of wires) {
    for (const [kind, id] of subjects) {
      it.effect(`the call in ${kind} is made with them, and the model knows it: ${wire.name}`, () =>
        Effect.gen(function*() {
          const { calls, sent, server } = yield* components
          const target = { kind, id, payload: edited, result: "", server, session: "s" } as const
          yield* wire.pause(target)
          yield* wire.resume(target)
          assert.deepStrictEqual(sent, ["bob"])
          const shown = JSON.stringify((yield* calls)[1]?.prompt.content.slice(-2))
          assert.include(shown, "has changed the arguments of this call to {\\\"to\\\":\\\"bob\\\"}")
          assert.include(shown, "sent to bob")
        }))
    }
  }
})

describe("a rejected call", () => {
  for (const wire of [...PausedWires.wires, mcp]) {
    for (const [kind, id] of subjects) {
      it.effect(`the model of ${kind} reads that a person has rejected it, before the note: ${wire.name}`, () =>
        Effect.gen(function*() {
          const { calls, sent, server } = yield* components
          const target = { kind, id, payload: rejected, result: "", server, session: "s" } as const
          yield* wire.pause(target)
          yield* wire.resume(target)
          assert.deepStrictEqual(sent, [])
          const part = at((yield* calls)[1]?.prompt.content.at(-1), "content", 0)
          assert.deepInclude(part, { result: "(A person has rejected this call.)\n\nSent to bob.", isFailure: true })
        }))
    }
  }
})

describe("a confirmed call with a note", () => {
  for (const wire of [...PausedWires.wires, mcp]) {
    for (const [kind, id] of subjects) {
      it.effect(`the model of ${kind} reads the note before the result: ${wire.name}`, () =>
        Effect.gen(function*() {
          const { calls, sent, server } = yield* components
          const target = { kind, id, payload: noted, result: "", server, session: "s" } as const
          yield* wire.pause(target)
          yield* wire.resume(target)
          assert.deepStrictEqual(sent, ["ann"])
          const part = at((yield* calls)[1]?.prompt.content.at(-1), "content", 0)
          const result = "(A person has added a note to this call: \"It is the last one.\".)\n\nsent to ann"
          assert.deepInclude(part, { result, isFailure: false })
        }))
    }
  }
})

/** An agent and a team whose call has an unknown outcome, and whose tool can be gone then. */
const cutOff = Effect.fnUntraced(function*(options: Partial<Tool.Options<undefined>> = {}) {
  const sent: Array<unknown> = []
  const state = { isGone: false }
  const send = Tool.make({
    name: "send",
    parameters: Schema.Struct({ to: Schema.String }),
    ...options as object,
    execute: ({ to }) => {
      sent.push(to)
      return Effect.fail(new OutcomeLost({ message: "The answer was lost" }))
    }
  })
  const sender = yield* Script.make([[Script.toolCall("send", { to: "ann" }, "c1")], [Script.text("Done.")]])
  const leader = yield* Script.make([
    [Script.toolCall("delegate_task_to_member", { member_id: "sender", task: "send" }, "d1")],
    [Script.text("All done.")]
  ])
  const agent = () => Agent.make({ id: "sender", model: sender.model, tools: state.isGone ? [] : [send] })
  const server = yield* serve({
    agents: [AgentFactory.make({ id: "sender", build: agent })],
    teams: [TeamFactory.make({
      id: "team",
      build: ({ id }) => Team.make({ id, model: leader.model, members: [agent()] })
    })],
    settings: { mcp: { enabled: true } }
  })
  return { sent, server, state }
})

/** Sends the run back as a function of the client makes it. */
const client: PausedWires.PausedWire = {
  name: "the client",
  pause: mcp.pause,
  resume: Effect.fnUntraced(function*(target) {
    const { id, kind, server, session } = target
    const paused = yield* PausedWires.runOf(target)
    const decisions = approve(paused as never)
    const path = `/${kind}/${id}/runs/${String(at(paused, "run_id"))}/continue`
    const { status, text } = yield* post(server, path, { session_id: session, stream: false, ...decisions })
    assert.strictEqual(status, 200, text)
  })
}

const [http] = PausedWires.wires

describe("the repetition of a call with an unknown outcome whose tool is gone", () => {
  for (const wire of [...PausedWires.wires.slice(0, 1), ...PausedWires.protocols, mcp, client]) {
    for (const [kind, id] of subjects.slice(0, 2)) {
      it.effect(`the repetition is refused in ${kind}, and its result can be sent then: ${wire.name}`, () =>
        Effect.gen(function*() {
          const { sent, server, state } = yield* cutOff()
          const target = { kind, id, payload: yes, result: "", server, session: "s" } as const
          const openIn = (run: unknown) =>
            list(run, "requirements").map((each) => [at(each, "id"), at(each, "tool_execution", "outcome_unknown")])
          yield* wire.pause(target)
          const paused = yield* PausedWires.runOf(target)
          assert.deepStrictEqual(openIn(paused).map(([, isUnknown]) => isUnknown), [true])
          state.isGone = true
          const refused = yield* Effect.exit(wire.resume(target))
          // in a stream, and in the result of a tool, the refusal is none of the request
          if (!["the UI message stream", "MCP"].includes(wire.name)) {
            assert.isTrue(Exit.isFailure(refused))
            assert.match(
              String(Exit.isFailure(refused) ? Cause.squash(refused.cause) : ""),
              /send \(c1\) cannot be repeated: the agent has no such tool any more. It can be skipped, or get its result/
            )
          }
          const after = yield* PausedWires.runOf(target)
          assert.deepStrictEqual([at(after, "status"), openIn(after)], ["PAUSED", openIn(paused)])
          yield* http?.resume({ ...target, payload: { result: "Number 4711" } }) ?? Effect.void
          assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "COMPLETED")
          assert.deepStrictEqual(sent, ["ann"])
        }))
    }
  }

  it.effect("the approval with which it was made counts once", () =>
    Effect.gen(function*() {
      const { sent, server, state } = yield* cutOff({ approval: "required" })
      const target = { kind: "agents", id: "sender", payload: yes, result: "", server, session: "s" } as const
      yield* http?.pause(target) ?? Effect.void
      const id = String(at((yield* get(server, "/approvals")).json, "data", 0, "id"))
      const approve = post(server, `/approvals/${id}/resolve`, { status: "approved" })
      assert.strictEqual((yield* approve).status, 200)
      const isUnknown = (run: unknown) => at(run, "requirements", 0, "tool_execution", "outcome_unknown") === true
      yield* Effect.repeat(PausedWires.runOf(target), { until: isUnknown, times: 1000 })
      state.isGone = true
      assert.strictEqual((yield* approve).status, 409)
      const refused = yield* Effect.exit(http?.resume(target) ?? Effect.void)
      assert.match(String(Exit.isFailure(refused) && Cause.squash(refused.cause)), /send \(c1\) cannot be repeated/)
      assert.deepStrictEqual(sent, ["ann"])
    }))
})

describe("a call inside of a run whose agent is no member, or no tool, any more", () => {
  it.effect.each(
    [
      ["teams", "continue"],
      ["teams", "resolve"],
      ["agents", "continue"],
      ["agents", "resolve"]
    ] as const
  )(
    "%s, %s: it is refused, and once it is rejected, the call around it gets its result",
    ([kind, door]) =>
      Effect.gen(function*() {
        const sent: Array<string> = []
        let isGone = false
        const send = Tool.make({
          name: "send",
          ...door === "continue" ? { requiresConfirmation: true } : { approval: "required" as const },
          parameters: Schema.Struct({ to: Schema.String }),
          execute: ({ to }) => (sent.push(to), "sent")
        })
        const models = {
          sender: yield* Script.make([[Script.toolCall("send", { to: "ann" }, "c1")], [Script.text("Done.")]]),
          teams: yield* Script.make([
            [Script.toolCall("delegate_task_to_member", { member_id: "sender", task: "send" }, "d1")],
            [Script.text("All done.")]
          ]),
          agents: yield* Script.make([[Script.toolCall("ask", { task: "send" }, "d1")], [Script.text("All done.")]])
        }
        const sender = Agent.make({ id: "sender", model: models.sender.model, tools: [send] })
        const other = Agent.make({ id: "other", model: models.sender.model })
        const component = (name: string, component: Agent.Agent) => ComponentTool.make({ name, component })
        const server = yield* serve({
          agents: [AgentFactory.make({
            id: "outer",
            build: ({ id }) =>
              Agent.make({
                id,
                model: models.agents.model,
                tools: [component("other", other), ...isGone ? [] : [component("ask", sender)]]
              })
          })],
          teams: [TeamFactory.make({
            id: "outer",
            build: ({ id }) => Team.make({ id, model: models.teams.model, members: isGone ? [other] : [sender, other] })
          })]
        })
        const target = { kind, id: "outer", payload: yes, result: "", server, session: "s" } as const
        const inHttp = (payload: object) => Effect.exit(http?.resume({ ...target, payload }) ?? Effect.void)
        yield* http?.pause(target) ?? Effect.void
        isGone = true
        const paused = yield* PausedWires.runOf(target)
        assert.strictEqual(at(paused, "status"), "PAUSED")
        const approvals = get(server, "/approvals?status=pending")
        const decided = (isAccepted: boolean) =>
          door === "continue"
            ? Effect.map(
              inHttp({ accepted: isAccepted }),
              (exit) => Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "200"
            )
            : Effect.flatMap(approvals, ({ json }) =>
              Effect.map(
                post(server, `/approvals/${String(at(json, "data", 0, "id"))}/resolve`, {
                  status: isAccepted ? "approved" : "rejected"
                }),
                ({ status, text }) => status === 200 ? "200" : text
              ))
        assert.match(
          yield* decided(true),
          /send.* cannot be called: the agent has no such tool any more. It can be rejected/
        )
        if (door === "resolve") assert.lengthOf(list((yield* approvals).json, "data"), 1)
        assert.deepStrictEqual(yield* PausedWires.runOf(target), paused)
        assert.strictEqual(yield* decided(false), "200")
        const isUnknown = (run: unknown) =>
          list(run, "requirements").some((each) => at(each, "tool_execution", "outcome_unknown") === true)
        yield* Effect.repeat(PausedWires.runOf(target), { until: isUnknown, times: 1000 })
        const repeated = yield* inHttp(yes)
        const name = kind === "teams" ? "delegate_task_to_member" : "ask"
        assert.match(
          String(Exit.isFailure(repeated) && Cause.squash(repeated.cause)),
          new RegExp(`${name} \\(d1\\) cannot be repeated: .* any more. It can be skipped, or get its result`)
        )
        yield* http?.resume({ ...target, payload: { result: "Sent by hand" } }) ?? Effect.void
        assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "COMPLETED")
        assert.deepStrictEqual(sent, [])
      })
  )
})
