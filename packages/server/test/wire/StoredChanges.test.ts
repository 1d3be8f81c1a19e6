// Changes of stored components that could leave one that cannot run: a circle, or a version that names what is gone.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, get, invalid, post, send, serve } from "../Wire.ts"
import { post201, restarted } from "./VanishedTool.ts"

const registry: TestServer.Options["registry"] = { functions: { shout: () => "!" } }
const plain = [{ name: "shout", function: "shout" }]
const naming = (id: string) => [{ name: "nested", workflow_id: id }]

const patch = (server: TestServer.TestServer, id: string, body: object) =>
  send(server, "PATCH", `/workflows/${id}`, body)

describe("changes of stored components", () => {
  it.effect("exactly one of two changes at once that close a circle together is refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry })
      yield* Effect.forEach([1, 2, 3, 4, 5], (round) =>
        Effect.gen(function*() {
          const [one, other] = [`one-${round}`, `other-${round}`] as const
          for (const id of [one, other]) yield* post201(server, "/workflows", { name: id, steps: plain })
          const changes = [patch(server, one, { steps: naming(other) }), patch(server, other, { steps: naming(one) })]
          const answers = yield* Effect.all(changes, { concurrency: "unbounded" })
          assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 422])
          for (const id of [one, other]) assert.strictEqual((yield* get(server, `/workflows/${id}`)).status, 200)
        }))
    }))

  it.effect("a version that would close a circle does not become the current one again", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry })
      for (const id of ["one", "other"]) yield* post201(server, "/workflows", { name: id, steps: plain })
      yield* patch(server, "one", { steps: naming("other") })
      yield* post(server, "/components/one/configs/1/set-current", {})
      assert.strictEqual((yield* patch(server, "other", { steps: naming("one") })).status, 200)
      const refused = yield* post(server, "/components/one/configs/2/set-current", {})
      invalid(refused, [["path", "version", "steps", 0, "workflow_id"], "value_error"])
      assert.include(refused.text, "in a circle: workflow 'one' → workflow 'other' → workflow 'one'")
      const patched = yield* send(server, "PATCH", "/components/one", { current_version: 2 })
      invalid(patched, [["body", "current_version", "steps", 0, "workflow_id"], "value_error"])
      assert.strictEqual(at((yield* get(server, "/components/one")).json, "current_version"), 1)
    }))

  it.effect("a version that names what the service no longer has does not become the current one again", () =>
    Effect.gen(function*() {
      const server = yield* restarted((before) =>
        Effect.andThen(
          post201(before, "/agents", { name: "Writer", tools: ["mail"] }),
          send(before, "PATCH", "/agents/writer", { tools: null })
        )
      )
      const refused = yield* post(server, "/components/writer/configs/1/set-current", {})
      invalid(refused, [["path", "version", "tools", 0], "value_error"])
      assert.strictEqual(at((yield* get(server, "/components/writer")).json, "current_version"), 2)
    }))
})
