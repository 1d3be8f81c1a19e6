// The body of a run that is not streamed: null keys left out, everything else as it is.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { always, at, hasKeys, list, runWhole, second, serve, uuid, without } from "../Wire.ts"
import { bare } from "./BareRun.ts"
import { assistant, details, lookedUp, plain, twice, usage } from "./Fixtures.ts"

Tier.oneIn(6)

describe("a completed run", () => {
  it.effect("a run with tools has exactly the keys of the contract", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const server = yield* serve({ agents: [agent] })
      const answer = yield* runWhole(server, "assistant", {
        message: "what is tea?",
        session_id: "s-agent",
        user_id: "ann",
        session_state: "{\"n\": 1}",
        metadata: "{\"m\": 2}"
      })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      hasKeys(answer.json, ...bare, "user_id", "metadata", "tools")
      assert.match(String(at(answer.json, "run_id")), uuid)
      assert.deepStrictEqual(without(answer.json, "run_id", "messages"), {
        agent_id: "assistant",
        agent_name: "Assistant",
        session_id: "s-agent",
        user_id: "ann",
        content: "Tea is a leaf.",
        content_type: "str",
        model: "scripted",
        model_provider: "Scripted",
        session_state: { n: 1 },
        created_at: second,
        status: "COMPLETED",
        metrics: { ...twice, time_to_first_token: 0, duration: 0, details: details(twice) },
        metadata: { m: 2 },
        tools: [lookedUp(second)],
        input: { input_content: "what is tea?" }
      })
    }))

  it.effect("a run shows its messages: system, user, call, result, answer, each with the keys that it has", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const { json } = yield* runWhole(yield* serve({ agents: [agent] }), "assistant", { message: "what is tea?" })
      const messages = list(json, "messages")
      for (const message of messages) assert.match(String(at(message, "id")), uuid)
      const common = { from_history: false, stop_after_tool_call: false, created_at: second }
      const metrics = { ...usage, time_to_first_token: 0 }
      const system = "Answers questions\nBe kind.\n\n<additional_information>\n- Write your answers in Markdown.\n" +
        "</additional_information>"
      assert.deepStrictEqual(messages.map((message) => without(message, "id")), [
        { ...common, role: "system", content: system },
        { ...common, role: "user", content: "what is tea?" },
        {
          ...common,
          role: "assistant",
          tool_calls: [{
            id: "call_1",
            type: "function",
            function: { name: "lookup", arguments: "{\"query\":\"tea\"}" }
          }],
          metrics
        },
        {
          ...common,
          role: "tool",
          content: "fact about tea",
          tool_call_id: "call_1",
          tool_name: "lookup",
          tool_args: { query: "tea" },
          tool_call_error: false
        },
        { ...common, role: "assistant", content: "Tea is a leaf.", metrics }
      ])
    }))

  it.effect("a run without tools, user and metadata has none of their keys", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { json } = yield* runWhole(yield* serve({ agents: [agent] }), "plain", { message: "hi" })
      hasKeys(json, ...bare)
      assert.strictEqual(at(json, "content"), "Hello.")
      assert.deepStrictEqual(at(json, "session_state"), {})
      assert.deepStrictEqual(list(json, "messages").map((message) => at(message, "role")), ["user", "assistant"])
    }))

  it.effect("a run keeps empty content, and has no empty message", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text(""))
      const server = yield* serve({ agents: [Agent.make({ id: "mute", model })] })
      const { json } = yield* runWhole(server, "mute", { message: "hi" })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(at(json, "content"), "")
    }))

  it.effect("a run leaves counters of zero out", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hi"), Script.usage({ input: 3, output: 0, cacheRead: 2 }))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      const counters = { input_tokens: 3, total_tokens: 3, cache_read_tokens: 2 }
      assert.deepStrictEqual(at(json, "metrics"), {
        ...counters,
        time_to_first_token: 0,
        duration: 0,
        details: details(counters)
      })
    }))

  it.effect("a run shows reasoning beside the answer", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.reasoning("Hm", "m."), Script.text("Hi"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      hasKeys(json, ...bare, "reasoning_content")
      assert.strictEqual(at(json, "reasoning_content"), "Hmm.")
      assert.strictEqual(at(json, "messages", 1, "reasoning_content"), "Hmm.")
    }))

  it.effect("a run shows files and citations of the model", () =>
    Effect.gen(function*() {
      const { model } = yield* always(
        Script.text("Look"),
        Script.part({ type: "file", mediaType: "image/png", data: "AAEC" }),
        Script.part({ type: "source", sourceType: "url", id: "1", url: "https://example.com/", title: "Example" })
      )
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      hasKeys(json, ...bare, "images", "citations")
      const id = createHash("sha256").update(Uint8Array.of(0, 1, 2)).digest("hex")
      const image = { id, url: `/media/${id}`, mime_type: "image/png", format: "png", size: 3 }
      assert.deepStrictEqual(at(json, "images"), [image])
      assert.deepStrictEqual(at(json, "citations"), { urls: [{ url: "https://example.com/", title: "Example" }] })
    }))
})

describe("structured answers", () => {
  const Movie = Schema.Struct({ title: Schema.String, year: Schema.Int }).annotate({ title: "Movie" })
  const movie = { title: "Ran", year: 1985 }

  it.effect("a structured answer is an object, with the title of the agent's schema as its type", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text(JSON.stringify(movie)))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, outputSchema: Movie })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      assert.deepStrictEqual(at(json, "content"), movie)
      assert.strictEqual(at(json, "content_type"), "Movie")
    }))

  const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] }

  const structured: ReadonlyArray<readonly [schema: object, raw: string, type: string]> = [
    [{ ...schema, title: "Film" }, "", "Film"],
    [schema, "", "DynamicModel"],
    [{ ...schema, title: "Film" }, "true", "dict"]
  ]

  it.effect.each(structured)(
    "a structured answer to the form %j with use_json_schema %j is a %s",
    ([output, raw, type]) =>
      Effect.gen(function*() {
        const script = yield* always(Script.text("{\"title\":\"Ran\"}"))
        const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model })] })
        const { json } = yield* runWhole(server, "a", {
          message: "hi",
          output_schema: JSON.stringify(output),
          use_json_schema: raw
        })
        assert.deepStrictEqual(at(json, "content"), { title: "Ran" })
        assert.strictEqual(at(json, "content_type"), type)
        assert.strictEqual((yield* script.calls)[0]?.responseFormat.type, "json")
      })
  )

  it.effect("an answer that does not fit its schema stays text, and the run says so", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("{\"title\":3}"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, outputSchema: Movie })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(at(json, "content"), "{\"title\":3}")
      assert.strictEqual(at(json, "content_type"), "str")
      assert.strictEqual(at(json, "status"), "COMPLETED")
    }))
})
