// Components as resources and prompts: what a caller can read is the same as over REST, and prompts are of components
// that the caller may run.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { at, column, get, serve } from "../Wire.ts"
import { open, send } from "./Mcp.ts"

Tier.oneIn(6)

const components = Effect.gen(function*() {
  const { model } = yield* Script.make([])
  const step = Step.make({ name: "only", run: () => "done" })
  return {
    agents: [
      Agent.make({ id: "poet", name: "Poet", description: "Writes poems", model }),
      Agent.make({ id: "clerk", name: "Clerk", model })
    ],
    workflows: [Workflow.make({ id: "poet", name: "Poems", steps: [step] })]
  }
})

const opened = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
  const server = yield* serve({ ...yield* components, authorization: yield* closed })
  const bearer = yield* token("ann", ...scopes)
  return { server, bearer, session: yield* open(server, { bearer }) }
})

describe("resources of components", () => {
  it.effect("a resource shows what the HTTP API shows of the component", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* components)
      const session = yield* open(server)
      const { result } = yield* send(session, "resources/list")
      assert.deepStrictEqual(column(at(result, "resources"), "uri"), [
        "svc://agents/poet",
        "svc://agents/clerk",
        "svc://workflows/poet"
      ])
      for (const [uri, path] of [["svc://agents/poet", "/agents/poet"], ["svc://workflows/poet", "/workflows/poet"]]) {
        const read = yield* send(session, "resources/read", { uri })
        assert.deepStrictEqual(
          JSON.parse(String(at(read, "result", "contents", 0, "text"))),
          (yield* get(server, String(path))).json
        )
      }
      const clerk = yield* send(session, "resources/read", { uri: "svc://agents/clerk" })
      assert.include(String(at(clerk, "result", "contents", 0, "text")), `"name":"Clerk"`)
    }))

  it.effect("the list has the components that the caller may read", () =>
    Effect.gen(function*() {
      const { session } = yield* opened("agents:poet:read")
      const { result } = yield* send(session, "resources/list")
      assert.deepStrictEqual(column(at(result, "resources"), "uri"), ["svc://agents/poet"])
    }))

  it.effect("a read without the scope names it, whether or not the component exists", () =>
    Effect.gen(function*() {
      const { session } = yield* opened("agents:run")
      for (const uri of ["svc://workflows/poet", "svc://workflows/none"]) {
        const { error } = yield* send(session, "resources/read", { uri })
        assert.strictEqual(at(error, "message"), "Insufficient permissions. Required scope(s): workflows:read")
      }
    }))

  it.effect("an unknown component is an error of the protocol", () =>
    Effect.gen(function*() {
      const { session } = yield* opened("agents:read")
      const { error } = yield* send(session, "resources/read", { uri: "svc://agents/none" })
      assert.deepStrictEqual(error, {
        code: -32602,
        message: "Agent not found: 'none'. The service has 'poet', 'clerk'. GET /agents lists all."
      })
      const malformed = yield* send(session, "resources/read", { uri: "svc://agents/%E0%A4%A" })
      assert.strictEqual(at(malformed, "error", "code"), -32002)
    }))
})

describe("prompts of components", () => {
  it.effect("a prompt asks the assistant to run the component with the tool of its kind", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serve(yield* components))
      const { result } = yield* send(session, "prompts/list")
      assert.deepStrictEqual(column(at(result, "prompts"), "name"), ["poet", "clerk", "workflows/poet"])
      assert.deepStrictEqual(column(at(result, "prompts"), "description"), [
        "Writes poems",
        "Runs the agent Clerk",
        "Runs the workflow Poems"
      ])
      const got = yield* send(session, "prompts/get", { name: "workflows/poet", arguments: { message: "On \"tea\"" } })
      assert.deepStrictEqual(at(got, "result", "messages"), [{
        role: "user",
        content: {
          type: "text",
          text: "Run the workflow Poems with the tool run_workflow, and show its answer. The arguments are:\n\n" +
            "{\n  \"workflow_id\": \"poet\",\n  \"message\": \"On \\\"tea\\\"\"\n}"
        }
      }])
      const missing = yield* send(session, "prompts/get", { name: "poet" })
      assert.strictEqual(at(missing, "error", "code"), -32602)
    }))

  it.effect("the name of a prompt does not tell whether the service has an agent with the id of a workflow", () =>
    Effect.gen(function*() {
      const names = Effect.fnUntraced(function*(all: Parameters<typeof serve>[0]) {
        const server = yield* serve({ ...all, authorization: yield* closed })
        const session = yield* open(server, { bearer: yield* token("ann", "workflows:run") })
        return column(at(yield* send(session, "prompts/list"), "result", "prompts"), "name")
      })
      const { agents, workflows } = yield* components
      assert.deepStrictEqual(yield* names({ agents, workflows }), ["workflows/poet"])
      assert.deepStrictEqual(yield* names({ workflows }), ["workflows/poet"])
    }))

  it.effect("a caller has the prompts of components that they may run, and no others", () =>
    Effect.gen(function*() {
      const { session } = yield* opened("agents:poet:run")
      const { result } = yield* send(session, "prompts/list")
      assert.deepStrictEqual(column(at(result, "prompts"), "name"), ["poet"])
      const hidden = yield* send(session, "prompts/get", { name: "clerk", arguments: { message: "hi" } })
      const unknown = yield* send(session, "prompts/get", { name: "none", arguments: { message: "hi" } })
      assert.strictEqual(at(hidden, "error", "code"), at(unknown, "error", "code"))
    }))
})
