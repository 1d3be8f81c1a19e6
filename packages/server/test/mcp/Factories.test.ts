// Factories over MCP: the tools have no argument for `factory_input`, so a factory is called with
// nothing sent, and one that needs something says so.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, list, serve } from "../Wire.ts"
import { Tenant } from "../wire/Factories.ts"
import { call, open, refused } from "./Mcp.ts"

Tier.oneIn(2)

const kinds = ["agent", "team", "workflow"] as const

/** Of each kind one that takes nothing, and one that needs to know its tenant. */
const served = Effect.gen(function*() {
  const seen: Array<readonly [string, unknown]> = []
  const { model } = yield* Script.make(Array.from({ length: 20 }, () => [Script.text("Hello.")]))
  const makers = {
    agent: () => Agent.make({ id: "made", model }),
    team: () => Team.make({ id: "made", model, members: [Agent.make({ id: "member", model })] }),
    workflow: () =>
      Workflow.make({
        id: "made",
        steps: [Step.make({ name: "asked", confirmation: true, run: () => "Hello." })]
      })
  }
  const made = <K extends keyof typeof makers>(kind: K) => ({
    id: "made",
    build: ({ input, request }: { readonly input: unknown; readonly request: unknown }) => {
      seen.push([`${kind} ${request === null ? "without" : "with"} a request`, input])
      return makers[kind]() as ReturnType<(typeof makers)[K]>
    }
  })
  const needing = { id: "needing", inputSchema: Tenant }
  const server = yield* serve({
    agents: [AgentFactory.make(made("agent")), AgentFactory.make({ ...needing, build: makers.agent })],
    teams: [TeamFactory.make(made("team")), TeamFactory.make({ ...needing, build: makers.team })],
    workflows: [
      WorkflowFactory.make(made("workflow")),
      WorkflowFactory.make({ ...needing, build: makers.workflow })
    ]
  })
  return { seen, session: yield* open(server) }
})

describe("a factory", () => {
  it.effect("a factory makes the component of a call, without input", () =>
    Effect.gen(function*() {
      const { seen, session } = yield* served
      for (const kind of kinds) {
        const result = yield* call(session, `run_${kind}`, { [`${kind}_id`]: "made", message: "Hi", session_id: kind })
        const status = kind === "workflow" ? "PAUSED" : "COMPLETED"
        assert.strictEqual(at(result, "structuredContent", "status"), status, JSON.stringify(result))
      }
      assert.deepStrictEqual(seen, kinds.map((kind) => [`${kind} with a request`, null]))
    }))

  it.effect("a factory makes the component again when its run continues", () =>
    Effect.gen(function*() {
      const { seen, session } = yield* served
      const named = { workflow_id: "made", session_id: "s" }
      const paused = yield* call(session, "run_workflow", { ...named, message: "Hi" })
      const { requirements, run_id } = at(paused, "structuredContent") as {
        readonly requirements: ReadonlyArray<object>
        readonly run_id: string
      }
      const answers = requirements.map((each) => ({ ...each, confirmed: true }))
      const result = yield* call(session, "continue_run", { ...named, run_id, requirements: answers })
      assert.strictEqual(at(result, "structuredContent", "status"), "COMPLETED", JSON.stringify(result))
      assert.strictEqual(seen.length, 2)
    }))

  it.effect("a factory that needs input says what, and nothing is run", () =>
    Effect.gen(function*() {
      const { session } = yield* served
      for (const kind of kinds) {
        const result = yield* call(session, `run_${kind}`, { [`${kind}_id`]: "needing", message: "Hi" })
        assert.isTrue(at(result, "isError"))
        assert.match(
          String(at(result, "content", 0, "text")),
          new RegExp(`^Error calling tool 'run_${kind}': factory_input validation failed: tenant: `)
        )
      }
      const sessions = yield* call(session, "get_sessions", { session_type: "agent" })
      assert.deepStrictEqual(list(sessions, "structuredContent", "data"), [])
      refused(
        yield* call(session, "run_team", { team_id: "none", message: "Hi" }),
        "Error calling tool 'run_team': Team none not found"
      )
    }))

  it.effect("a factory is listed with the components, and that of a workflow with its schema", () =>
    Effect.gen(function*() {
      const { seen, session } = yield* served
      const config = at(yield* call(session, "get_platform_config"), "structuredContent")
      for (const kind of kinds) assert.deepStrictEqual(column(at(config, `${kind}s`), "id"), ["made", "needing"])
      assert.deepStrictEqual(column(at(config, "workflows"), "is_factory"), [true, true])
      assert.deepStrictEqual(at(config, "workflows", 1, "factory_input_schema", "required"), ["tenant"])
      assert.strictEqual(seen.length, 0)
    }))
})
