// Cancelling a run that waits for a person: it ends at once, with its last event and with its requirements.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { ask, at, column, type Fields, frames, get, list, serve } from "../Wire.ts"

Tier.oneIn(3)

const post = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, path, {
    method: "POST",
    body: new URLSearchParams({ message: "x", session_id: "s", run_id: "r", ...fields })
  })

const cancel = (server: TestServer.TestServer, path: string) => ask(server, `${path}/r/cancel`, { method: "POST" })

const stored = (server: TestServer.TestServer, path: string, run = "r") =>
  Effect.map(get(server, `${path}/${run}?session_id=s`), ({ json }) => json)

const eventsOf = (server: TestServer.TestServer, path: string) =>
  Effect.map(get(server, `${path}/r/events?session_id=s`), ({ text }) => frames(text))

const pay = Tool.make({ name: "pay", approval: "required", execute: () => "paid" })

const payer = (id: string) =>
  Effect.map(
    Script.make([[Script.toolCall("pay", {}, "call_1")], [Script.text("Done.")]]),
    ({ model }) => Agent.make({ id, name: id, model, tools: [pay] })
  )

const approvals = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/approvals"), ({ json }) => list(json, "data"))

describe("a paused run that is cancelled", () => {
  it.effect("a paused run ends with RunCancelled, numbered after its pause, and its approval is closed", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [yield* payer("payer")] })
      const paused = frames((yield* post(server, "/agents/payer/runs", { stream: "true" })).text)
      assert.strictEqual(paused.at(-1)?.kind, "RunPaused")
      const answer = yield* cancel(server, "/agents/payer/runs")
      assert.deepStrictEqual([answer.status, answer.json], [200, {}])
      const reason = "Run r was cancelled"
      assert.deepInclude(yield* stored(server, "/agents/payer/runs"), { status: "CANCELLED", content: reason })
      const all = yield* eventsOf(server, "/agents/payer/runs")
      assert.deepStrictEqual(all.slice(0, -1), paused)
      assert.deepInclude(all.at(-1), { kind: "RunCancelled", id: paused.length })
      assert.deepInclude(all.at(-1)?.data, { reason, content: reason, run_id: "r", agent_id: "payer" })
      assert.deepStrictEqual(column(yield* approvals(server), "status"), ["cancelled"])
      yield* cancel(server, "/agents/payer/runs")
      assert.strictEqual((yield* eventsOf(server, "/agents/payer/runs")).length, all.length)
    }))

  it.effect("a paused run ends without its factory being called, even if that could not make its agent", () =>
    Effect.gen(function*() {
      const agent = yield* payer("made")
      let calls = 0
      const factory = AgentFactory.make({
        id: "made",
        build: () => {
          if (++calls > 1) throw new Error("broken")
          return agent
        }
      })
      const server = yield* serve({ agents: [factory] })
      yield* post(server, "/agents/made/runs", { stream: "false" })
      yield* cancel(server, "/agents/made/runs")
      assert.deepInclude(yield* stored(server, "/agents/made/runs"), { status: "CANCELLED" })
      assert.strictEqual(calls, 1)
    }))

  it.effect("a paused run of a team ends with the runs of its members, and their approvals are closed", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "payer", task: "Pay" }, "d")],
        [Script.text("Done.")]
      ])
      const team = Team.make({ id: "team", model, members: [yield* payer("payer")] })
      const server = yield* serve({ teams: [team] })
      const paused = yield* post(server, "/teams/team/runs", { stream: "false", background: "false" })
      assert.deepInclude(paused.json, { status: "PAUSED" })
      yield* cancel(server, "/teams/team/runs")
      const run = yield* stored(server, "/teams/team/runs")
      assert.deepInclude(run, { status: "CANCELLED" })
      assert.deepInclude(at(run, "member_responses", 0), { status: "CANCELLED" })
      const runs = yield* get(server, "/sessions/s/runs")
      assert.deepStrictEqual(column(runs.json, "status"), ["CANCELLED", "CANCELLED"])
      assert.deepStrictEqual(column(yield* approvals(server), "status"), ["cancelled"])
    }))

  it.effect("a paused run of a workflow ends with WorkflowCancelled and the outputs of its steps", () =>
    Effect.gen(function*() {
      const confirmedStep = Step.make({ name: "asked", confirmation: true, run: () => "agreed" })
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [() => "first", confirmedStep] })] })
      const paused = frames((yield* post(server, "/workflows/flow/runs", { stream: "true" })).text)
      yield* cancel(server, "/workflows/flow/runs")
      const run = yield* stored(server, "/workflows/flow/runs")
      assert.deepInclude(run, { status: "CANCELLED", content: "Run r was cancelled" })
      assert.deepStrictEqual(column(list(run, "step_results"), "content"), ["first"])
      assert.isUndefined(at(run, "paused_step_name"))
      const last = (yield* eventsOf(server, "/workflows/flow/runs")).at(-1)
      assert.deepInclude(last, { kind: "WorkflowCancelled", id: Number(paused.at(-1)?.id) + 1 })
    }))

  it.effect("a paused run of a workflow closes the approval of its step", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [Workflow.make({ id: "flow", steps: [yield* payer("payer")] })] })
      yield* post(server, "/workflows/flow/runs", { stream: "false" })
      assert.deepStrictEqual(column(yield* approvals(server), "status"), ["pending"])
      yield* cancel(server, "/workflows/flow/runs")
      assert.deepStrictEqual(column(yield* approvals(server), "status"), ["cancelled"])
    }))
})

/** The factory is called after the paused run was read, and before it is resumed. */
const builder = <A>(component: A) => {
  const hook = { once: (): Promise<unknown> => Promise.resolve() }
  const build = async () => {
    const { once } = hook
    hook.once = () => Promise.resolve()
    await once()
    return component
  }
  return { hook, build }
}

describe("a continuation that is sent while the run is cancelled", () => {
  const refused = Effect.fnUntraced(function*(
    options: TestServer.Options,
    hook: ReturnType<typeof builder>["hook"],
    path: string,
    decide: (paused: unknown) => Fields
  ) {
    const server = yield* serve(options)
    const paused = yield* post(server, path, { stream: "false" })
    assert.deepInclude(paused.json, { status: "PAUSED" })
    hook.once = () => Effect.runPromise(cancel(server, path))
    const { json, status } = yield* post(server, `${path}/r/continue`, decide(paused.json))
    assert.deepInclude(yield* stored(server, path), { status: "CANCELLED" })
    return [status, at(json, "detail")]
  })

  it.effect("an agent's continuation is refused because its run is cancelled", () =>
    Effect.gen(function*() {
      const { build, hook } = builder(yield* payer("made"))
      const answer = yield* refused(
        { agents: [AgentFactory.make({ id: "made", build })] },
        hook,
        "/agents/made/runs",
        () => ({
          tools: JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
        })
      )
      assert.deepStrictEqual(answer, [409, "Cannot continue run r: run is cancelled"])
    }))

  it.effect("a workflow's continuation is refused because its run is cancelled", () =>
    Effect.gen(function*() {
      const confirmed = Step.make({ name: "asked", confirmation: true, run: () => "agreed" })
      const { build, hook } = builder(Workflow.make({ id: "made", steps: [confirmed] }))
      const workflows = [WorkflowFactory.make({ id: "made", build })]
      const answer = yield* refused({ workflows }, hook, "/workflows/made/runs", (paused) => ({
        step_requirements: JSON.stringify([{ ...Object(at(paused, "step_requirements", 0)), confirmed: true }])
      }))
      assert.deepStrictEqual(answer, [409, "run is already cancelled"])
    }))
})

describe("a continuation that is sent while a cancellation ends the run", () => {
  it.effect.each(["before", "after"] as const)(
    "such a continuation is refused because the run is cancelled, if it has read the run %s the cancellation",
    (read) =>
      Effect.gen(function*() {
        const [isEnding, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const { build, hook } = builder(yield* payer("made"))
        const server = yield* serve({
          agents: [AgentFactory.make({ id: "made", build })],
          database: (database) => ({
            ...database,
            runs: {
              ...database.runs,
              finish: (ending) => {
                const finish = database.runs.finish(ending)
                if (ending.run.status !== "CANCELLED") return finish
                return Effect.andThen(
                  Deferred.succeed(isEnding, undefined),
                  Effect.andThen(Deferred.await(mayEnd), finish)
                )
              }
            }
          })
        })
        const path = "/agents/made/runs"
        yield* post(server, path, { stream: "false" })
        let cancelling: Promise<unknown> = Promise.resolve()
        const begin = () => {
          cancelling = Effect.runPromise(cancel(server, path))
          return Effect.runPromise(Deferred.await(isEnding))
        }
        if (read === "before") hook.once = begin
        else yield* Effect.promise(begin)
        const tools = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
        const { json, status } = yield* post(server, `${path}/r/continue`, { tools })
        assert.deepStrictEqual([status, at(json, "detail")], [409, "Cannot continue run r: run is cancelled"])
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Effect.promise(() => cancelling)
        assert.deepInclude(yield* stored(server, path), { status: "CANCELLED" })
      })
  )
})

describe("a run that is cancelled while it comes to its pause", () => {
  it.effect("a run that is cancelled while it pauses ends as cancelled, and does not wait", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        agents: [yield* payer("payer")],
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            // another node is asked in the moment before the pause is stored
            finish: (ending) =>
              Effect.andThen(
                database.runs.requestCancel(ending.run.run_id, undefined, { owner: { _tag: "Anyone" } }),
                database.runs.finish(ending)
              )
          }
        })
      })
      yield* post(server, "/agents/payer/runs", { stream: "false" })
      const ended = Effect.andThen(Effect.yieldNow, stored(server, "/agents/payer/runs"))
      yield* Effect.repeat(ended, { until: (run) => at(run, "status") === "CANCELLED" })
      assert.strictEqual((yield* eventsOf(server, "/agents/payer/runs")).length, 0)
    }))
})
