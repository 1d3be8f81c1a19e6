// Settings of models: what is sent to the provider, what a request may choose, and what the run shows of it.
import { assert, describe, it } from "@effect/vitest"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import type { TestServer } from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Redacted } from "effect"
import { ask, at, failed, get, post, runWhole, serve } from "../Wire.ts"

Tier.oneIn(6)

const [small, large] = ["openai-compatible:small", "openai-compatible:large"]

const serving = Effect.gen(function*() {
  const provider = yield* OpenAiChat.answering(() => Reply.text("Hello"))
  const plain = Agent.make({ id: "plain", model: small })
  const strict = Agent.make({
    id: "strict",
    model: small,
    modelSettings: {
      temperature: 0.2,
      maxOutputTokens: 50,
      stopSequences: ["END"],
      headers: { "x-team": Redacted.make("blue-secret") },
      providerOptions: { openaiCompatible: { user: "me" } }
    },
    offeredModels: [large],
    offeredSettings: ["temperature", "seed"]
  })
  const desk = Team.make({ id: "desk", model: small, members: [plain], offeredSettings: ["top_p"] })
  const steps = Workflow.make({ id: "steps", steps: [strict] })
  const parts = { agents: [plain, strict], teams: [desk], workflows: [steps] }
  const server = yield* serve({ ...parts, openaiBaseUrl: provider.url })
  const sent = Effect.map(provider.requests, (requests) => requests.at(-1))
  return { provider, sent, server }
})

const sendForm = (server: TestServer, path: string, fields: Record<string, string>) =>
  ask(server, path, { method: "POST", body: new URLSearchParams(fields) })

describe("settings of models", () => {
  it.effect("the settings of the author are sent with each request, and the run shows them without secrets", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving
      const { json, text } = yield* runWhole(server, "strict", { message: "Hi", session_id: "s" })
      const request = yield* sent
      assert.deepInclude(request?.body, { model: "small", temperature: 0.2, max_tokens: 50, stop: ["END"], user: "me" })
      assert.strictEqual(request?.headers["x-team"], "blue-secret")
      const shown = { temperature: 0.2, max_output_tokens: 50, stop_sequences: ["END"] }
      assert.deepStrictEqual(at(json, "model_settings"), shown)
      const stored = yield* get(server, `/agents/strict/runs/${String(at(json, "run_id"))}?session_id=s`)
      assert.deepStrictEqual(at(stored.json, "model_settings"), shown)
      const detail = yield* get(server, "/agents/strict")
      assert.deepStrictEqual(at(detail.json, "model_options"), {
        model_settings: shown,
        offered_models: [large],
        offered_settings: ["temperature", "seed"]
      })
      for (const answer of [text, stored.text, detail.text]) assert.notInclude(answer, "secret")
    }))

  it.effect("a request chooses a model and settings that the agent offers, for its run alone", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving
      const chosen = { model: large, model_settings: JSON.stringify({ temperature: 1, seed: 7 }) }
      const { json } = yield* runWhole(server, "strict", { message: "Hi", ...chosen })
      assert.deepInclude((yield* sent)?.body, { model: "large", temperature: 1, seed: 7, max_tokens: 50 })
      assert.deepInclude(json as object, { model: "large" })
      assert.deepInclude(at(json, "model_settings") as object, { temperature: 1, seed: 7, max_output_tokens: 50 })
      yield* runWhole(server, "strict", { message: "Hi" })
      assert.deepInclude((yield* sent)?.body, { model: "small", temperature: 0.2 })
    }))

  it.effect("a run that continues after a pause keeps its model and its settings", () =>
    Effect.gen(function*() {
      const calls = Reply.answer({ toolCalls: [{ id: "call_1", name: "send", arguments: ["{}"] }] })
      const provider = yield* OpenAiChat.answering(({ body }) =>
        JSON.stringify(body.messages).includes("\"tool\"") ? Reply.text("Sent") : calls
      )
      const send = Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent" })
      const offered = { offeredModels: [large], offeredSettings: ["seed"] } as const
      const agent = Agent.make({ id: "mailer", model: small, tools: [send], ...offered })
      const server = yield* serve({ agents: [agent], openaiBaseUrl: provider.url })
      const chosen = { model: large, model_settings: "{\"seed\":7}" }
      const paused = yield* runWhole(server, "mailer", { message: "Send it", session_id: "s", ...chosen })
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      const tools = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      const ended = yield* ask(server, `/agents/mailer/runs/${String(at(paused.json, "run_id"))}/continue`, {
        method: "POST",
        body: new URLSearchParams({ tools, session_id: "s", stream: "false" })
      })
      assert.deepInclude(ended.json as object, { status: "COMPLETED", content: "Sent", model: "large" })
      const requests = yield* provider.requests
      assert.deepStrictEqual(requests.map(({ body }) => [body.model, body.seed]), [["large", 7], ["large", 7]])
    }))

  it.effect("a JSON body has the settings as an object", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving
      const body = { message: "Hi", stream: false, model_settings: { top_p: 0.5 } }
      assert.strictEqual((yield* post(server, "/teams/desk/runs", body)).status, 200)
      assert.deepInclude((yield* sent)?.body, { top_p: 0.5 })
    }))

  it.effect.each([
    ["a model that is not offered", { model: "openai-compatible:other" }, "model"],
    ["a model of an agent that offers none", { model: large }, "model", "plain"],
    ["a setting that is not offered", { model_settings: "{\"top_p\":1}" }, "model_settings"],
    ["a setting of an agent that offers none", { model_settings: "{\"seed\":1}" }, "model_settings", "plain"],
    ["a value out of its range", { model_settings: "{\"temperature\":3}" }, "model_settings"],
    ["a value of a wrong type", { model_settings: "{\"seed\":\"x\"}" }, "model_settings"],
    [
      "a stop sequence that no database stores",
      { model_settings: "{\"stop_sequences\":[\"\\u0000\"]}" },
      "model_settings"
    ],
    ["a name that is no setting", { model_settings: "{\"temprature\":1}" }, "model_settings"],
    ["text that is not JSON", { model_settings: "{temperature:1}" }, "model_settings"],
    ["no object", { model_settings: "[1]" }, "model_settings"]
  ] as ReadonlyArray<[string, Record<string, string>, string, string?]>)(
    "the choice is refused with 422 and the field, and nothing is requested or stored: %s",
    ([, fields, field, agent = "strict"]) =>
      Effect.gen(function*() {
        const { provider, server } = yield* serving
        const answer = yield* runWhole(server, agent, { message: "Hi", session_id: "s", ...fields })
        failed(answer, 422, "VALIDATION_ERROR")
        assert.deepStrictEqual((at(answer.json, "errors", 0, "loc") as Array<unknown>).slice(0, 2), ["body", field])
        assert.lengthOf(yield* provider.requests, 0)
        assert.strictEqual((yield* ask(server, "/sessions/s")).status, 404)
      })
  )

  it.effect("the refusal of a value of a wrong type names the type that the setting has", () =>
    Effect.gen(function*() {
      const { server } = yield* serving
      const problemOf = Effect.fnUntraced(function*(model_settings: object) {
        const answer = yield* post(server, "/agents/strict/runs", { message: "Hi", model_settings })
        assert.strictEqual(answer.status, 422)
        return [at(answer.json, "errors", 0, "type"), at(answer.json, "errors", 0, "msg")]
      })
      assert.deepStrictEqual(yield* problemOf({ temperature: "x" }), ["float_type", "Input should be a valid number"])
      assert.deepStrictEqual(yield* problemOf({ seed: "x" }), ["int_type", "Input should be a valid integer"])
    }))

  it.effect.each([
    [{ model: large }, "model"],
    [{ model_settings: "{\"seed\":1}" }, "model_settings"]
  ] as ReadonlyArray<[Record<string, string>, string]>)(
    "a workflow has no model of its own, so a request for its run that chooses %j is refused",
    ([fields, field]) =>
      Effect.gen(function*() {
        const { provider, server } = yield* serving
        const answer = yield* sendForm(server, "/workflows/steps/runs", { message: "Hi", session_id: "s", ...fields })
        failed(answer, 422, "VALIDATION_ERROR")
        assert.deepStrictEqual(at(answer.json, "errors", 0, "loc"), ["body", field])
        assert.include(answer.text, "'steps' is a workflow. The agents and teams of its steps have models")
        assert.lengthOf(yield* provider.requests, 0)
        assert.strictEqual((yield* ask(server, "/sessions/s")).status, 404)
      })
  )

  it.effect("the agents of steps and of teams send the settings that they have alone", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving
      const answer = yield* sendForm(server, "/workflows/steps/runs", { message: "Hi", stream: "false" })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude((yield* sent)?.body, { model: "small", temperature: 0.2, max_tokens: 50 })
    }))

  it.effect("a stored agent has settings, and a setting of an unknown name cannot be saved", () =>
    Effect.gen(function*() {
      const { sent, server } = yield* serving
      const body = (config: object) => ({ name: "Stored", component_type: "agent", stage: "published", config })
      const config = { model: small, model_settings: { temperature: 0 }, offered_settings: ["seed"] }
      const made = yield* post(server, "/components", body(config))
      assert.strictEqual(made.status, 201, made.text)
      const { status, text } = yield* runWhole(server, "stored", { message: "Hi", model_settings: "{\"seed\":3}" })
      assert.strictEqual(status, 200, text)
      assert.deepInclude((yield* sent)?.body, { temperature: 0, seed: 3 })
      const wrong = body({ model_settings: { temprature: 1 } })
      assert.strictEqual((yield* post(server, "/components", { ...wrong, name: "Wrong" })).status, 422)
    }))
})
