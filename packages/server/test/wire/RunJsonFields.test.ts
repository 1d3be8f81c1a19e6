// The options of a run that are JSON, and the flags that show them to the model.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, get, hasKeys, runWhole } from "../Wire.ts"
import { started } from "./StartedRuns.ts"

Tier.oneIn(6)

describe("options that are JSON", () => {
  it.effect("metadata and session_state are returned with the run", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const metadata = { m: 2, deep: { list: [1, null, "x"] }, "": "empty key" }
      const { json } = yield* runWhole(server, "plain", {
        message: "hi",
        metadata: JSON.stringify(metadata),
        session_state: JSON.stringify({ n: 1 })
      })
      assert.deepStrictEqual(at(json, "metadata"), metadata)
      assert.deepStrictEqual(at(json, "session_state"), { n: 1 })
    }))

  it.effect("missing metadata is left out, and the missing state is empty", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* runWhole(server, "plain", { message: "hi" })
      assert.isUndefined(at(json, "metadata"))
      assert.deepStrictEqual(at(json, "session_state"), {})
    }))

  const bad = ["{", "[1]", "3", "\"x\"", "true", "{'a': 1}", "undefined", "{\"a\":}", "NaN"]

  it.effect.each(bad)(
    "the value %s is dropped from every option, with a warning, and the run proceeds",
    (value) =>
      Effect.gen(function*() {
        const { server } = yield* started()
        const objects = ["session_state", "dependencies", "metadata", "output_schema"]
        const lists = ["images", "audio", "videos", "input_files"].filter(() => value !== "[1]")
        const names = [...objects, ...lists]
        const { json, status } = yield* runWhole(server, "plain", {
          message: "hi",
          ...Object.fromEntries(names.map((name) => [name, value]))
        })
        assert.strictEqual(status, 200)
        assert.strictEqual(at(json, "status"), "COMPLETED")
        assert.strictEqual(at(json, "content"), "Hello.")
        assert.isUndefined(at(json, "metadata"))
        assert.deepStrictEqual(at(json, "session_state"), {})
        hasKeys(at(json, "input"), "input_content")
        const warnings = server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message)
        for (const name of names) assert.isTrue(warnings.some((text) => text.includes(`'${name}'`)), name)
        for (const text of warnings) assert.notInclude(text, value, "what was sent is not logged")
      })
  )

  it.effect("the field session_state is merged into the stored state, key by key", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const state = (value: object) => ({ message: "hi", session_id: "s", session_state: JSON.stringify(value) })
      yield* runWhole(server, "plain", state({ a: 1, b: { x: 1 } }))
      const { json } = yield* runWhole(server, "plain", state({ b: { y: 2 }, c: null }))
      assert.deepStrictEqual(at(json, "session_state"), { a: 1, b: { y: 2 }, c: null })
      assert.deepStrictEqual(at((yield* get(server, "/sessions/s")).json, "session_state"), {
        a: 1,
        b: { y: 2 },
        c: null
      })
    }))

  it.effect("the model gets the dependencies only when they are requested", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const fields = { message: "hi", dependencies: JSON.stringify({ city: "Kyoto" }) }
      yield* runWhole(server, "plain", fields)
      yield* runWhole(server, "plain", { ...fields, add_dependencies_to_context: "yes" })
      const [without, with_] = yield* script.prompts
      assert.notInclude(JSON.stringify(without), "Kyoto")
      assert.include(JSON.stringify(with_), "Kyoto")
    }))

  it.effect("the model gets the session state only when it is requested", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const fields = { message: "hi", session_state: JSON.stringify({ mood: "calm" }) }
      yield* runWhole(server, "plain", fields)
      yield* runWhole(server, "plain", { ...fields, add_session_state_to_context: "1" })
      const [without, with_] = yield* script.prompts
      assert.notInclude(JSON.stringify(without), "calm")
      assert.include(JSON.stringify(with_), "calm")
    }))

  it.effect("the field add_history_to_context overrides the agent, both ways", () =>
    Effect.gen(function*() {
      for (const [own, requested] of [[false, "true"], [true, "false"]] as const) {
        const { script, server } = yield* started({ addHistoryToContext: own })
        const fields = { session_id: "s", add_history_to_context: requested }
        yield* runWhole(server, "plain", { ...fields, message: "first words" })
        yield* runWhole(server, "plain", { ...fields, message: "second words" })
        const prompt = JSON.stringify((yield* script.prompts)[1])
        assert.strictEqual(prompt.includes("first words"), requested === "true")
      }
    }))
})
