// A node begins runs with what it knows of a stored component. What has changed is seen by the next run.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, failed, notFound, post, runWhole, send, serve } from "../Wire.ts"
import { post201 } from "./VanishedTool.ts"

const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] }

describe("components that a node knows", () => {
  it.effect("an input that fits the version which is current now is taken, and one that does not is refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      yield* post201(server, "/agents", { name: "A", model: "fixed", input_schema: schema })
      const text = runWhole(server, "a", { message: "Hi" })
      const number = runWhole(server, "a", { message: `{"a": 1}` })
      for (const _ of [1, 2]) assert.strictEqual((yield* number).status, 200)
      failed(yield* text, 422, "VALIDATION_ERROR")
      yield* send(server, "PATCH", "/agents/a", { input_schema: null })
      assert.strictEqual((yield* text).status, 200)
      yield* post(server, "/components/a/configs/1/set-current", {})
      failed(yield* text, 422, "VALIDATION_ERROR")
      assert.strictEqual((yield* number).status, 200)
    }))

  it.effect("a removed component, and one of another type, does not run again", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      for (const name of ["A", "B"]) {
        yield* post201(server, "/agents", { name, model: "fixed" })
        for (const _ of [1, 2]) yield* runWhole(server, name.toLowerCase(), { message: "Hi" })
      }
      yield* send(server, "DELETE", "/agents/a", undefined)
      notFound(yield* runWhole(server, "a", { message: "Hi" }), "Agent not found")
      yield* send(server, "PATCH", "/components/b", { component_type: "team" })
      notFound(yield* runWhole(server, "b", { message: "Hi" }), "Agent not found")
    }))

  it.effect("a workflow does not run when an agent that it names is removed", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      yield* post201(server, "/agents", { name: "A", model: "fixed", instructions: "First" })
      yield* post201(server, "/workflows", { name: "W", steps: [{ name: "s", agent_id: "a" }] })
      const run = send(server, "POST", "/workflows/w/runs", { message: "Hi", stream: false })
      for (const _ of [1, 2]) assert.strictEqual((yield* run).status, 200)
      yield* send(server, "DELETE", "/agents/a", undefined)
      const { json } = yield* run
      assert.include(String(at(json, "detail")), "There is no agent 'a' with a published version")
    }))
})
