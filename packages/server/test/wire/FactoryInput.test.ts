// `factory_input`: JSON text, an object, and what the factory's schema says.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, badRequest, column, failed, list, run, runWhole, serve, upload } from "../Wire.ts"
import { id, nothingStored, serving, started, tenant, tenants } from "./Factories.ts"

Tier.oneIn(10)

describe("factory_input", () => {
  const refused: ReadonlyArray<readonly [string, string | undefined, string | RegExp]> = [
    ["a value of the wrong type", `{"tenant": 5}`, /^factory_input validation failed: tenant: /],
    ["a missing field", "{}", /^factory_input validation failed: tenant: /],
    ["nothing, where a field is required", undefined, /^factory_input validation failed: tenant: /],
    ["an empty field, which is nothing", "", /^factory_input validation failed: tenant: /],
    ["text that is no JSON", "not json", "factory_input must be valid JSON"],
    ["half an object", `{"tenant":`, "factory_input must be valid JSON"],
    ["white space", "  ", "factory_input must be valid JSON"],
    ["a list", "[1]", "factory_input must be a JSON object, got array"],
    ["a string", `"acme"`, "factory_input must be a JSON object, got string"],
    ["a number", "5", "factory_input must be a JSON object, got number"],
    ["a flag", "true", "factory_input must be a JSON object, got boolean"],
    ["null", "null", "factory_input must be a JSON object, got null"],
    [
      "an object that is nested beyond reason",
      `{"tenant": "acme", "more": ${"[".repeat(5000)}${"]".repeat(5000)}}`,
      "factory_input validation failed: Input should not be nested deeper than 200 levels"
    ]
  ]

  for (const [what, text, detail] of refused) {
    it.effect(`an invalid factory_input is refused before the factory runs, streamed or not: ${what}`, () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started
        const input = text === undefined ? {} : { factory_input: text }
        for (const stream of ["false", "true"]) {
          badRequest(yield* run(server, id, { message: "x", stream, session_id: "s", ...input }), detail)
        }
        assert.strictEqual(seen.length, 0)
        yield* nothingStored(server)
      }))
  }

  it.effect("a huge factory_input is refused by its size", () =>
    Effect.gen(function*() {
      const { factory, seen } = yield* tenants
      const server = yield* serve({ agents: [factory], limits: { jsonBody: 1000 } })
      const ask = (name: string) => runWhole(server, id, { message: "x", ...tenant(name) })
      assert.strictEqual((yield* ask("a".repeat(1000 - `{"tenant":""}`.length))).status, 200)
      failed(yield* ask("a".repeat(1000)), 413, "PAYLOAD_TOO_LARGE", "factory_input is larger than 1000 bytes")
      assert.strictEqual(seen.length, 1)
    }))

  it.effect("a factory_input with thousands of errors has a short response", () =>
    Effect.gen(function*() {
      const factory = AgentFactory.make({
        id: "many",
        inputSchema: Schema.Struct({ values: Schema.Array(Schema.String) }),
        build: () => Agent.make({ id: "many" })
      })
      const server = yield* serve({ agents: [factory] })
      const values = Array.from({ length: 15_000 }, () => 1)
      const answer = yield* runWhole(server, "many", { message: "x", factory_input: JSON.stringify({ values }) })
      badRequest(answer, /^factory_input validation failed: values\.0: /)
      assert.isBelow(answer.text.length, 3000)
    }))

  it.effect("a missing factory_input has the defaults of its schema", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const factory = AgentFactory.make({
        id: "made",
        inputSchema: Schema.Struct({
          tenant: Schema.String.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed("unknown")))
        }),
        build: ({ input }) => {
          seen.push(input)
          return Agent.make({ id: "made", model: "fixed" })
        }
      })
      const server = yield* serve({ agents: [factory] })
      assert.strictEqual((yield* runWhole(server, "made", { message: "x" })).status, 200)
      assert.deepStrictEqual(seen, [{ tenant: "unknown" }])
    }))

  it.effect("the factory_input is the object as it is, or null, where there is no schema", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const server = yield* serving((agent, { input }) => {
        seen.push(input)
        return agent
      })
      yield* runWhole(server, "made", { message: "x" })
      yield* runWhole(server, "made", { message: "x", factory_input: `{"a": [1, {"b": null}]}` })
      badRequest(yield* runWhole(server, "made", { message: "x", factory_input: "[]" }), /got array$/)
      badRequest(yield* runWhole(server, "made", { message: "x", factory_input: "{" }), /valid JSON$/)
      assert.deepStrictEqual(seen, [null, { a: [1, { b: null }] }])
    }))

  it.effect("the factory_input is ignored for an agent without a factory", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      assert.strictEqual((yield* runWhole(server, "plain", { message: "x", factory_input: "not json" })).status, 200)
    }))

  it.effect("the factory_input is read from the form alone", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const path = `/agents/${id}/runs?${new URLSearchParams(tenant("acme"))}`
      const body = new URLSearchParams({ message: "x", stream: "false" })
      badRequest(yield* ask(server, path, { method: "POST", body }), /^factory_input validation failed/)
      assert.strictEqual(seen.length, 0)
    }))

  it.effect("the last of several factory_input fields counts", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const body = new URLSearchParams({ message: "x", stream: "false" })
      for (const name of ["acme", "globex"]) body.append("factory_input", JSON.stringify({ tenant: name }))
      const answer = yield* ask(server, `/agents/${id}/runs`, { method: "POST", body })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(seen.map(({ input }) => input), [{ tenant: "globex" }])
    }))

  it.effect("the factory_input is not a file", () =>
    Effect.gen(function*() {
      const { seen, server } = yield* started
      const file = new File([JSON.stringify({ tenant: "acme" })], "factory_input", { type: "application/json" })
      badRequest(yield* upload(server, id, { message: "x" }, [file]), /^factory_input validation failed/)
      assert.strictEqual(seen.length, 0)
    }))

  const textFields = { "runs": ["factory_input", "user_id"], "runs/r/continue": ["requirements", "user_id"] }
  for (const [path, names] of Object.entries(textFields)) {
    it.effect(`a file in a field that is text is refused with the name of the field: ${path}`, () =>
      Effect.gen(function*() {
        const { seen, server } = yield* started
        const body = new FormData()
        body.set("message", "x")
        body.set("session_id", "s")
        for (const name of names) body.set(name, new Blob(["{}"], { type: "application/json" }))
        const answer = yield* ask(server, `/agents/${id}/${path}`, { method: "POST", body })
        failed(answer, 422, "VALIDATION_ERROR", /was sent as a file/)
        assert.deepStrictEqual(column(list(answer.json, "errors"), "loc"), names.map((name) => ["body", name]))
        assert.strictEqual(seen.length, 0)
        yield* nothingStored(server)
      }))
  }
})
