// Requests whose session state, dependencies or metadata do not match the schemas of a component.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Team from "@svc/runtime/team/Team"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Script from "@svc/testing/ScriptedModel"
import { Effect } from "effect"
import { z } from "zod"
import { always, get, invalid, post, run, serve } from "../Wire.ts"

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
