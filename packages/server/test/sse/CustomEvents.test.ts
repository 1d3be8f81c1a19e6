// What authors send to watchers of a run: `CustomEvent`, without a prefix in teams and workflows, with the author's
// fields among the fields of every event.
import { assert, describe, it } from "@effect/vitest"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type * as Json from "@svc-runtime/domain/Json"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { ask, at, type Fields, frames, get, kindsOf, list, second, serve } from "../Wire.ts"

Tier.oneIn(8)

/** A tool that says how far it is. */
const working = (emit: (tell: (fields: Json.Object) => void) => unknown) =>
  Tool.make({ name: "work", execute: (_, { emit: tell }) => (emit(tell), "worked") })

const half = working((emit) => emit({ percent: 50, note: { of: ["the", "work"] } }))

const calling = Script.make([[Script.toolCall("work", {}, "call_1")], [Script.text("Done.")]])

const run = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, fields: Fields = {}) {
  const body = new URLSearchParams({ message: "go", session_id: "s", run_id: "r", ...fields })
  return frames((yield* ask(server, path, { method: "POST", body })).text)
})

const customIn = (all: ReturnType<typeof frames>) => all.filter(({ kind }) => kind === "CustomEvent")

const served = Effect.fnUntraced(function*(tool: Tool.Tool) {
  const { model } = yield* calling
  return yield* serve({ agents: [Agent.make({ id: "worker", name: "Worker", model, tools: [tool] })] })
})

describe("a tool", () => {
  it.effect("a tool emits custom events between the start and the end of its call", () =>
    Effect.gen(function*() {
      const all = yield* run(yield* served(half), "/agents/worker/runs")
      const kinds = kindsOf(all)
      const place = kinds.indexOf("CustomEvent")
      assert.deepStrictEqual(kinds.slice(place - 1, place + 2), ["ToolCallStarted", "CustomEvent", "ToolCallCompleted"])
      assert.deepStrictEqual(all[place]?.data, {
        created_at: second,
        event: "CustomEvent",
        agent_id: "worker",
        agent_name: "Worker",
        run_id: "r",
        session_id: "s",
        nested_depth: 0,
        event_index: place,
        tool_call_id: "call_1",
        percent: 50,
        note: { of: ["the", "work"] }
      })
    }))

  it.effect("a custom event is shown to callers who want only the answer, and to later watchers", () =>
    Effect.gen(function*() {
      const server = yield* served(half)
      const few = yield* run(server, "/agents/worker/runs", { stream_events: "false" })
      assert.deepStrictEqual([...new Set(kindsOf(few))], ["CustomEvent", "RunContent"])
      const later = frames((yield* get(server, "/agents/worker/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(customIn(later), customIn(few))
      const { json } = yield* get(server, "/agents/worker/runs/r?session_id=s")
      assert.strictEqual(list(json, "events").filter((event) => at(event, "percent") === 50).length, 1)
    }))

  it.effect("a custom event keeps its fields through the schema of events, with which clients decode it", () =>
    Effect.gen(function*() {
      const [custom] = customIn(yield* run(yield* served(half), "/agents/worker/runs"))
      const decoded: unknown = yield* Schema.decodeUnknownEffect(RunEvent.RunEvent)(custom?.data)
      assert.deepStrictEqual(decoded, custom?.data)
    }))

  const refused: ReadonlyArray<readonly [string, object, RegExp]> = [
    [
      "names that the service uses itself",
      { run_id: "another" },
      /^emit: 'run_id' is a field that the service sets on every event/
    ],
    [
      "the name of the event",
      { event: "RunCompleted" },
      /^emit: 'event' is a field that the service sets on every event/
    ],
    ["what is no JSON", { at: new Date(0) }, /^emit: The fields of an event are an object of JSON$/],
    ["a list", ["a"], /^emit: The fields of an event are an object of JSON$/]
  ]
  for (const [what, fields, problem] of refused) {
    it.effect(`a tool cannot emit ${what}: it fails, and the model gets the error`, () =>
      Effect.gen(function*() {
        const all = yield* run(yield* served(working((emit) => emit(fields as never))), "/agents/worker/runs")
        assert.deepStrictEqual(customIn(all), [])
        const failed = all.find(({ kind }) => kind === "ToolCallError")
        assert.match(String(failed?.data["error"]), problem)
      }))
  }

  it.effect("a tool that has answered emits nothing more", () =>
    Effect.gen(function*() {
      let late: ((fields: Json.Object) => void) | undefined
      const server = yield* served(working((emit) => (late = emit)))
      const all = yield* run(server, "/agents/worker/runs")
      late?.({ late: true })
      assert.deepStrictEqual(customIn(all), [])
      const stored = frames((yield* get(server, "/agents/worker/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(customIn(stored), [])
    }))

  it.effect("a tool that was interrupted emits nothing more", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<(fields: Json.Object) => void>()
      const hanging = Tool.make({
        name: "work",
        execute: (_, { emit }) => Effect.andThen(Deferred.succeed(begun, emit), Effect.never)
      })
      const server = yield* served(hanging)
      const running = yield* Effect.forkChild(run(server, "/agents/worker/runs"))
      const emit = yield* Deferred.await(begun)
      emit({ late: false })
      yield* ask(server, "/agents/worker/runs/r/cancel?session_id=s", { method: "POST" })
      const all = yield* Fiber.join(running)
      emit({ late: true })
      assert.deepStrictEqual(customIn(all).map(({ data }) => data["late"]), [false])
      assert.strictEqual(all.at(-1)?.kind, "RunCancelled")
      const stored = frames((yield* get(server, "/agents/worker/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(stored, all)
    }))
})

/** A team whose leader says how far it is, and then a member. */
const crew = Effect.gen(function*() {
  const leader = yield* Script.make([
    [Script.toolCall("work", {}, "call_1")],
    [Script.toolCall("delegate_task_to_member", { member_id: "worker", task: "work" }, "call_2")],
    [Script.text("All done.")]
  ])
  const member = yield* calling
  return Team.make({
    id: "crew",
    name: "Crew",
    model: leader.model,
    tools: [half],
    members: [Agent.make({ id: "worker", name: "Worker", model: member.model, tools: [half] })]
  })
})

describe("in a team", () => {
  it.effect("a custom event of the leader's tool is the team's, and one of a member's tool is the member's", () =>
    Effect.gen(function*() {
      const [own, inner] = customIn(yield* run(yield* serve({ teams: [yield* crew] }), "/teams/crew/runs"))
      assert.deepInclude(own?.data, { team_id: "crew", team_name: "Crew", run_id: "r", percent: 50 })
      assert.isFalse("agent_id" in (own?.data ?? {}))
      assert.deepInclude(inner?.data, { agent_id: "worker", parent_run_id: "r", percent: 50, tool_call_id: "call_1" })
      for (const { data } of [own!, inner!]) {
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(RunEvent.RunEvent)(data), data as never)
      }
    }))

  it.effect("a custom event of a team in a workflow has its step as well", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({ id: "w", name: "W", steps: [yield* crew] })
      const custom = customIn(yield* run(yield* serve({ workflows: [workflow] }), "/workflows/w/runs"))
      const step = { workflow_id: "w", workflow_run_id: "r", step_name: "Crew", step_index: 0, percent: 50 }
      const [own, inner] = custom.map(({ data }) => data)
      assert.deepInclude(own, { ...step, team_id: "crew" })
      assert.deepInclude(inner, { ...step, agent_id: "worker", parent_run_id: own?.["run_id"] })
      for (const { data } of custom) {
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(RunEvent.RunEvent)(data), data as never)
      }
    }))
})

describe("a step of a workflow", () => {
  it.effect("a step emits custom events with its place in the tree", () =>
    Effect.gen(function*() {
      const { model } = yield* calling
      const agent = Agent.make({ id: "worker", name: "Worker", model, tools: [half] })
      const count = Step.make({
        name: "count",
        run: ({ emit, iteration }) => {
          emit({ percent: (iteration ?? 0) * 50 })
          return "counted"
        }
      })
      const workflow = Workflow.make({
        id: "w",
        name: "W",
        steps: [Loop.make({ name: "rounds", maxIterations: 2, steps: [count] }), Step.make({ name: "ask", agent })]
      })
      const all = yield* run(yield* serve({ workflows: [workflow] }), "/workflows/w/runs")
      const custom = customIn(all)
      assert.deepStrictEqual(custom.map(({ data }) => [data["step_name"], data["step_index"], data["percent"]]), [
        ["count", [0, 0], 50],
        ["count", [0, 0], 100],
        ["ask", 1, 50]
      ])
      const [first, , inner] = custom
      assert.deepInclude(first?.data, { workflow_id: "w", workflow_name: "W", run_id: "r", nested_depth: 0 })
      assert.deepInclude(inner?.data, { agent_id: "worker", workflow_id: "w", workflow_run_id: "r" })
      for (const { data } of custom) {
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(RunEvent.RunEvent)(data), data as never)
      }
    }))

  it.effect("a step that emits a reserved field has failed: the workflow ends with its error, or skips it", () =>
    Effect.gen(function*() {
      const lastOf = Effect.fnUntraced(function*(onError: "fail" | "skip") {
        const bad = Step.make({ name: "bad", onError, run: ({ emit }) => emit({ step_name: "another" }) })
        const all = yield* run(
          yield* serve({ workflows: [Workflow.make({ id: "w", steps: [bad] })] }),
          "/workflows/w/runs"
        )
        return all.filter(({ kind }) => kind !== "WorkflowStarted" && kind !== "StepStarted")
      })
      const [failed, ...none] = yield* lastOf("fail")
      assert.strictEqual(failed?.kind, "WorkflowError")
      assert.match(String(failed?.data["error"]), /emit: 'step_name' is a field that the service sets/)
      assert.deepStrictEqual(none, [])
      const [skipped, ended] = yield* lastOf("skip")
      assert.strictEqual(skipped?.kind, "StepError")
      assert.match(String(skipped?.data["error"]), /^emit: 'step_name' is a field that the service sets/)
      assert.strictEqual(ended?.kind, "WorkflowCompleted")
    }))
})
