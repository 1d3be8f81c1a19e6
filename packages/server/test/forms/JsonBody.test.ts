// Runs that are asked for in JSON: the same fields as in a form, where objects may be objects, and nothing else but
// forms.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { gzipSync } from "node:zlib"
import { always, ask, at, failed, invalid, post, runWhole, serve } from "../Wire.ts"

Tier.oneIn(3)

const started = Effect.gen(function*() {
  const script = yield* always(Script.text("Hello."))
  const typed = Agent.make({ id: "typed", model: script.model, inputSchema: Schema.Struct({ city: Schema.String }) })
  const server = yield* serve({ agents: [Agent.make({ id: "plain", model: script.model }), typed] })
  return { script, server }
})

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

describe("a body in JSON", () => {
  it.effect("a JSON body starts a run with values of their own types", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* post(server, "/agents/plain/runs", {
        message: "hi",
        stream: false,
        session_id: "s",
        user_id: null,
        session_state: { count: 1 },
        metadata: { origin: "json" },
        images: [{ url: "https://example.com/a.png" }]
      })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(at(answer.json, "input", "input_content"), "hi")
      assert.strictEqual(at(answer.json, "session_id"), "s")
      assert.deepStrictEqual(at(answer.json, "session_state"), { count: 1 })
      assert.deepStrictEqual(at(answer.json, "metadata"), { origin: "json" })
      assert.deepStrictEqual(at(answer.json, "input", "images"), [{ url: "https://example.com/a.png" }])
    }))

  it.effect("a JSON body takes objects in the place of their texts in a form", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* post(server, "/agents/plain/runs", {
        message: "hi",
        stream: "false",
        metadata: "{\"a\":1}"
      })
      assert.deepStrictEqual(at(answer.json, "metadata"), { a: 1 })
    }))

  it.effect("a JSON body can have the message as an object where the agent takes one", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const answer = yield* post(server, "/agents/typed/runs", { message: { city: "Oslo" }, stream: false })
      assert.deepStrictEqual(at(answer.json, "input", "input_content"), { city: "Oslo" })
    }))

  it.effect("a JSON body continues a run", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const first = yield* runWhole(server, "plain", { message: "hi", session_id: "s" })
      const path = `/agents/plain/runs/${at(first.json, "run_id")}/continue`
      const answer = yield* post(server, path, { session_id: "s", stream: false, input: "more" })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(at(answer.json, "forked_from_run_id"), at(first.json, "run_id"))
    }))

  it.effect("a JSON body is refused like a form when a field is wrong or missing", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      invalid(yield* post(server, "/agents/plain/runs", { stream: false }), [["body", "message"], "missing"])
      invalid(yield* post(server, "/agents/plain/runs", { message: "hi", stream: {} }), [
        ["body", "stream"],
        "bool_parsing"
      ])
    }))

  it.effect("a body that is not JSON, not an object or too deep is 422", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started
      invalid(yield* post(server, "/agents/plain/runs", "{"), [["body"], "json_invalid"])
      invalid(yield* post(server, "/agents/plain/runs", "[]"), [["body"], "dict_type"])
      invalid(yield* post(server, "/agents/plain/runs", `{"message":${deep(9000)}}`), [["body"], "json_too_deep"])
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("a body with a Content-Encoding is 415, in which case its type does not matter", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started
      const sent = (type: string, encoding: string) =>
        ask(server, "/agents/plain/runs", {
          method: "POST",
          headers: { "content-type": type, "content-encoding": encoding },
          body: gzipSync(`{"message":"hi"}`)
        })
      for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
        failed(yield* sent(type, "gzip"), 415, "BAD_REQUEST", "Send the body without Content-Encoding")
      }
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("a body of another type is 415", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started
      for (const type of ["text/plain", "application/xml", "application/jsonp", "multipart/mixed; boundary=q"]) {
        for (const path of ["/agents/plain/runs", "/agents/plain/runs/r/continue", "/agents/plain/runs/r/resume"]) {
          const answer = yield* ask(server, path, {
            method: "POST",
            headers: { "content-type": type },
            body: "message=hi"
          })
          failed(answer, 415, "BAD_REQUEST", /multipart\/form-data/)
        }
      }
      assert.deepStrictEqual(yield* script.calls, [])
    }))
})

describe("decisions on a paused run", () => {
  it.effect("a decision is not nested deeper than other JSON", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      const { json } = yield* runWhole(server, "plain", { message: "hi", session_id: "s" })
      const path = `/agents/plain/runs/${at(json, "run_id")}/continue`
      const tools = `[{"tool_call_id":"c","tool_args":${deep(5000)}}]`
      const body = new URLSearchParams({ session_id: "s", tools })
      invalid(yield* ask(server, path, { method: "POST", body }), [["body", "tools"], "json_too_deep"])
    }))
})
