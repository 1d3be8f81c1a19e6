// Requests whose session state, dependencies or metadata do not match the schemas of a component.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { z } from "zod"
import { always, at, get, invalid, post, run, send, serve } from "../Wire.ts"

Tier.oneIn(4)

const shop = {
  sessionState: z.object({ cart: z.array(z.string()) }),
  dependencies: z.object({ tenant: z.string() }),
  metadata: z.object({ channel: z.enum(["web", "app"]) })
}

const good = {
  dependencies: "{\"tenant\":\"acme\"}",
  metadata: "{\"channel\":\"web\"}",
  message: "Hi",
  stream: "false",
  session_id: "s"
}

const add = Tool.make({
  name: "add",
  runSchemas: shop,
  execute: (_, { dependencies, sessionState }) => {
    sessionState.cart = [...sessionState.cart ?? [], "tea"]
    return dependencies.tenant
  }
})

describe("requests of runs", () => {
  it.effect("values that match reach the tools, and the state of the session keeps its type", () =>
    Effect.gen(function*() {
      const model = yield* Script.make([[Script.toolCall("add")], [Script.text("ok")]])
      const server = yield* serve({
        agents: [Agent.make({ id: "clerk", model: model.model, runSchemas: shop, tools: [add] })]
      })
      const answer = yield* run(server, "clerk", { ...good, session_state: "{\"cart\":[\"milk\"]}" })
      assert.strictEqual(answer.status, 200)
      assert.include(answer.text, "\"session_state\":{\"cart\":[\"milk\",\"tea\"]}")
      assert.include(answer.text, "\"result\":\"acme\"")
    }))

  it.effect("values that do not match are refused with the field and the path, and nothing is stored", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const server = yield* serve({
        agents: [Agent.make({ id: "clerk", model, runSchemas: shop })],
        teams: [Team.make({ id: "desk", model, runSchemas: shop, members: [Agent.make({ id: "member", model })] })]
      })
      const refused = [
        [{ session_state: { cart: "tea" } }, ["body", "session_state", "cart"]],
        [{ dependencies: { tenant: 7 } }, ["body", "dependencies", "tenant"]],
        [{ dependencies: {} }, ["body", "dependencies", "tenant"]],
        [{ metadata: { channel: "fax" } }, ["body", "metadata", "channel"]]
      ] as const
      const body = { message: "Hi", stream: false, dependencies: { tenant: "acme" }, metadata: { channel: "web" } }
      for (const [fields, loc] of refused) {
        for (const path of ["/agents/clerk/runs", "/teams/desk/runs"]) {
          invalid(yield* post(server, path, { ...body, ...fields }), [loc, "value_error"])
        }
      }
      assert.include((yield* get(server, "/sessions")).text, "\"data\":[]")
    }))

  it.effect.each(["session_state", "dependencies", "metadata"])(
    "a value of %s that is no JSON object is refused if the component has a schema of it, in a form and in a JSON body",
    (field) =>
      Effect.gen(function*() {
        const { model } = yield* always(Script.text("ok"))
        const server = yield* serve({
          agents: [Agent.make({ id: "clerk", model, runSchemas: shop }), Agent.make({ id: "plain", model })]
        })
        for (const value of ["[1]", "3", "{"]) {
          const fields = { ...good, [field]: value }
          invalid(yield* run(server, "clerk", fields), [["body", field], "value_error"])
          assert.strictEqual((yield* run(server, "plain", fields)).status, 200)
        }
        const body = { message: "Hi", stream: false, dependencies: { tenant: "acme" }, metadata: { channel: "web" } }
        invalid(yield* post(server, "/agents/clerk/runs", { ...body, [field]: [1] }), [["body", field], "value_error"])
      })
  )

  it.effect("values that do not match the schemas of a member, a step or a tool are refused before the run begins", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const typed = Agent.make({ id: "clerk", model, runSchemas: { dependencies: shop.dependencies } })
      const server = yield* serve({
        agents: [Agent.make({ id: "boss", model, tools: [ComponentTool.make({ component: typed })] })],
        teams: [Team.make({ id: "desk", model, members: [Team.make({ id: "inner", model, members: [typed] })] })],
        workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent: typed })] })]
      })
      for (const path of ["/agents/boss/runs", "/teams/desk/runs", "/workflows/flow/runs"]) {
        const body = { message: "Hi", stream: false }
        const refused = yield* post(server, path, { ...body, dependencies: { tenant: 7 } })
        invalid(refused, [["body", "dependencies", "tenant"], "value_error"])
        assert.include(refused.text, "(of 'clerk')")
        assert.strictEqual((yield* post(server, path, { ...body, dependencies: { tenant: "acme" } })).status, 200)
      }
    }))

  it.effect("what a request gives a fork of a run is checked like that of a new run", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, runSchemas: shop })] })
      const { json } = yield* run(server, "clerk", good)
      const path = `/agents/clerk/runs/${String(at(json, "run_id"))}/continue`
      const fields = { session_id: "s", stream: "false", fork: "true", dependencies: good.dependencies }
      const refused = yield* send(server, "POST", path, { ...fields, metadata: "{\"channel\":\"fax\"}" })
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, "metadata: channel")
      const forked = yield* send(server, "POST", path, { ...fields, metadata: good.metadata })
      assert.strictEqual(at(forked.json, "status"), "COMPLETED")
    }))

  it.effect("the detail of an agent has the schemas", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, runSchemas: shop })] })
      const { json } = yield* get(server, "/agents/clerk")
      assert.deepStrictEqual(at(json, "run_schemas", "dependencies", "required"), ["tenant"])
      assert.strictEqual(at(json, "run_schemas", "session_state", "properties", "cart", "type"), "array")
      assert.isUndefined(at(json, "run_schemas", "session_state", "required"))
    }))

  it.effect("metadata of the component count as given", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const server = yield* serve({
        agents: [Agent.make({ id: "clerk", model, runSchemas: shop, metadata: { channel: "app" } })]
      })
      const { metadata: _, ...without } = good
      assert.strictEqual((yield* run(server, "clerk", without)).status, 200)
    }))
})

describe("the state of a session", () => {
  it.effect("a request that makes or changes a session is refused if its state does not match the component's schema", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const clerk = Agent.make({ id: "clerk", model, runSchemas: { sessionState: shop.sessionState } })
      const server = yield* serve({
        agents: [clerk, Agent.make({ id: "plain", model })],
        teams: [Team.make({ id: "desk", model, members: [clerk] })]
      })
      const bad = { cart: ["tea", 7] }
      const refused = [["body", "session_state", "cart", 1], "value_error"] as const
      for (const [kind, id] of [["agent", "clerk"], ["team", "desk"]] as const) {
        const path = `/sessions?type=${kind}`
        invalid(yield* post(server, path, { session_id: id, [`${kind}_id`]: id, session_state: bad }), refused)
        const good = { cart: ["tea"], other: 1 }
        const made = yield* post(server, path, { session_id: id, [`${kind}_id`]: id, session_state: good })
        assert.strictEqual(made.status, 201)
        invalid(yield* send(server, "PATCH", `/sessions/${id}`, { session_state: bad }), refused)
        assert.deepStrictEqual(at((yield* get(server, `/sessions/${id}`)).json, "session_state"), good)
        for (const state of [{}, { cart: [] }]) {
          assert.strictEqual((yield* send(server, "PATCH", `/sessions/${id}`, { session_state: state })).status, 200)
        }
      }
    }))

  it.effect("a session without a component, or with one without a schema, takes every state", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("ok"))
      const server = yield* serve({
        agents: [Agent.make({ id: "clerk", model, runSchemas: shop }), Agent.make({ id: "plain", model })]
      })
      for (const fields of [{}, { agent_id: "plain" }, { agent_id: "removed" }]) {
        const made = yield* post(server, "/sessions?type=agent", { ...fields, session_state: { cart: 7 } })
        assert.strictEqual(made.status, 201)
        const id = String(at(made.json, "session_id"))
        const changed = yield* send(server, "PATCH", `/sessions/${id}`, { session_state: { cart: "tea" } })
        assert.strictEqual(changed.status, 200)
      }
    }))
})
