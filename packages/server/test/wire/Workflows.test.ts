// Workflows in discovery, as bytes of the wire.
import { assert, describe, it } from "@effect/vitest"
import { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import * as Condition from "@svc-runtime/agents/workflow/define/Condition"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Steps from "@svc-runtime/agents/workflow/define/Steps"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { Cause, Effect, Layer, Schema } from "effect"
import { at, column, get, hasKeys, notFound, serve, without } from "../Wire.ts"
import { plain } from "./Fixtures.ts"

const up = Step.make({ name: "up", run: ({ input }) => `UP ${String(input)}` })
const left = Step.make({ name: "left", description: "The left one", run: () => "left" })
const right = Step.make({ name: "right", run: () => "right" })

const inner = Workflow.make({ id: "inner", inputSchema: Schema.Struct({ topic: Schema.String }), steps: [left] })

const recorded = Effect.gen(function*() {
  const { agent } = yield* plain
  return Workflow.make({
    id: "brief",
    name: "Brief",
    description: "A small flow",
    metadata: { team: "desk" },
    steps: [
      up,
      Parallel.make({ name: "both", steps: [left, right] }),
      Condition.make({ name: "maybe", evaluator: true, steps: [left], elseSteps: [right] }),
      Loop.make({ name: "rounds", maxIterations: 2, steps: [left] }),
      Router.make({ name: "pick", choices: [left, right], selector: () => "right" }),
      Steps.make({ name: "row", steps: [left, right] }),
      Step.make({ name: "ask", agent }),
      Step.make({ name: "inner", workflow: "inner" })
    ]
  })
})

const served = Effect.gen(function*() {
  const { agent } = yield* plain
  return yield* serve({ agents: [agent], workflows: [yield* recorded, inner] })
})

describe("workflows are found", () => {
  it.effect("workflows are listed in short form, in the order they were given", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* served, "/workflows")
      assert.deepStrictEqual<unknown>(json, [
        {
          id: "brief",
          name: "Brief",
          description: "A small flow",
          db_id: "main-db",
          is_factory: false,
          is_component: false
        },
        { id: "inner", name: "inner", db_id: "main-db", is_factory: false, is_component: false }
      ])
    }))

  it.effect("a workflow is shown with its steps, and the steps inside", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* served, "/workflows/brief")
      hasKeys(
        json,
        "id",
        "name",
        "description",
        "db_id",
        "steps",
        "metadata",
        "workflow_agent",
        "is_factory",
        "is_component"
      )
      const step = (name: string) => ({ name, type: "Step" })
      const first = { ...step("left"), description: "The left one" }
      assert.deepStrictEqual<unknown>(at(json, "steps"), [
        step("up"),
        { name: "both", type: "Parallel", steps: [first, step("right")] },
        { name: "maybe", type: "Condition", steps: [first], else_steps: [step("right")] },
        { name: "rounds", type: "Loop", steps: [first] },
        { name: "pick", type: "Router", steps: [first, step("right")] },
        { name: "row", type: "Steps", steps: [first, step("right")] },
        {
          ...step("ask"),
          agent: {
            id: "plain",
            name: "Plain",
            is_factory: false,
            is_component: false,
            model: { name: "ScriptedModel", model: "scripted", provider: "Scripted" }
          }
        },
        { ...step("inner"), workflow_id: "inner" }
      ])
      assert.strictEqual(at(json, "workflow_agent"), false)
      assert.deepStrictEqual(at(json, "metadata"), { team: "desk" })
    }))

  it.effect("a workflow is shown with its teams, without their session tables", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const team = Team.make({ id: "desk", name: "Desk", model: agent.model, members: [agent] })
      const byName = Step.make({ name: "by name", team: "desk" })
      const server = yield* serve({ teams: [team], workflows: [Workflow.make({ id: "w", steps: [team, byName] })] })
      const { json } = yield* get(server, "/workflows/w")
      const shown = without((yield* get(server, "/teams/desk")).json, "db_id", "sessions")
      assert.deepStrictEqual<unknown>(at(json, "steps"), [
        { name: "Desk", type: "Step", team: shown },
        { name: "by name", type: "Step", team: shown }
      ])
      assert.deepStrictEqual(column(at(shown, "members"), "id"), ["plain"])
    }))

  it.effect("a workflow is shown with the schema of its input", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* served, "/workflows/inner?version=3")
      assert.deepStrictEqual(at(json, "input_schema", "properties"), { topic: { type: "string" } })
    }))

  it.effect("a workflow of one function is shown without steps", () =>
    Effect.gen(function*() {
      const server = yield* serve({ workflows: [Workflow.make({ id: "call", run: () => "done" })] })
      const { json } = yield* get(server, "/workflows/call")
      assert.deepStrictEqual(at(json, "steps"), [])
    }))

  it.effect("an unknown workflow is not found", () =>
    Effect.gen(function*() {
      notFound(yield* get(yield* served, "/workflows/none"), "Workflow not found")
    }))

  it.effect("workflows are shown in the configuration and counted", () =>
    Effect.gen(function*() {
      const server = yield* served
      const { json } = yield* get(server, "/config")
      assert.deepStrictEqual(at(json, "workflows"), (yield* get(server, "/workflows")).json)
      assert.strictEqual(at((yield* get(server, "/info")).json, "workflow_count"), 2)
    }))
})

describe("a service does not start with", () => {
  const there = Agent.make({ id: "there" })

  const refusal = Effect.fnUntraced(function*(workflows: Parameters<typeof WorkflowRegistry.layer>[0]) {
    const made = TeamFactory.make({ id: "made", build: () => Team.make({ id: "made", members: [there] }) })
    const others = Layer.merge(AgentRegistry.layer([there]), TeamRegistry.layer([made]))
    const exit = yield* Effect.exit(Layer.build(WorkflowRegistry.layer(workflows).pipe(Layer.provide(others))))
    assert.strictEqual(exit._tag, "Failure")
    return exit._tag === "Failure" ? Cause.squash(exit.cause) as Error : undefined
  })

  it.effect("two workflows of one id stop the start", () =>
    Effect.gen(function*() {
      const error = yield* refusal([inner, inner])
      assert.match(error?.message ?? "", /^Duplicate IDs found among workflows: inner\./)
    }))

  it.effect("a step whose agent is unknown stops the start, and the error says where it is", () =>
    Effect.gen(function*() {
      const step = Step.make({ name: "ask", agent: "unknown" })
      const error = yield* refusal([
        Workflow.make({ id: "w", steps: [Steps.make({ name: "row", steps: [step] })] })
      ])
      assert.strictEqual(
        error?.message,
        "There is no agent 'unknown'. It is named in workflow 'w' → step 'row' → step 'ask'."
      )
    }))

  it.effect("a step whose team is unknown stops the start", () =>
    Effect.gen(function*() {
      const error = yield* refusal([Workflow.make({ id: "w", steps: [Step.make({ name: "ask", team: "there" })] })])
      assert.strictEqual(error?.message, "There is no team 'there'. It is named in workflow 'w' → step 'ask'.")
    }))

  it.effect("a step with the id of a team that is made for each request stops the start", () =>
    Effect.gen(function*() {
      const error = yield* refusal([Workflow.make({ id: "w", steps: [Step.make({ name: "ask", team: "made" })] })])
      assert.strictEqual(
        error?.message,
        "The team 'made' is made by a factory for each request, and cannot be a step by its id. It is named in " +
          "workflow 'w' → step 'ask'."
      )
    }))

  it.effect("workflows that call each other in a circle stop the start, and the error names them", () =>
    Effect.gen(function*() {
      const calls = (id: string, other: string) =>
        Workflow.make({ id, steps: [Step.make({ name: `to ${other}`, workflow: other })] })
      const error = yield* refusal([calls("a", "b"), calls("b", "a")])
      assert.strictEqual(
        error?.message,
        "Workflows call each other in a circle: workflow 'a' → step 'to b' → workflow 'b' → step 'to a' → workflow 'a'"
      )
    }))
})
