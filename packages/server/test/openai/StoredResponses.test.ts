// What is kept of a response, its input, and the sessions and errors of the API.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { always, ask, at, get, post, send, serve } from "../Wire.ts"
import { plain, used } from "../wire/Fixtures.ts"
import { call, collected, parameters, serving, servingWith } from "./OpenAiClient.ts"

Tier.oneIn(3)

describe("GET /v1/responses/{id}", () => {
  it.live("a response has its previous response and its instructions as they were when it was made", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const metadata = { topic: "tea" }
      const first = yield* call(() => client.responses.create({ model: "plain", input: "hi", metadata }))
      const second = yield* call(() =>
        client.responses.create({
          model: "plain",
          input: "again",
          previous_response_id: first.id,
          instructions: "Be brief.",
          metadata
        })
      )
      for (const made of [first, second]) {
        const read = yield* call(() => client.responses.retrieve(made.id))
        const { instructions, previous_response_id = null } = made
        assert.deepInclude(read, { instructions, previous_response_id, metadata })
      }
      assert.strictEqual(second.previous_response_id, first.id)
    }))

  it.live("a stream of a cancelled response ends as cancelled, live and replayed", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(
        Script.text("One "),
        Script.wait(Deferred.succeed(begun, undefined)),
        Script.hang
      )
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const { id } = yield* call(() => client.responses.create({ model: "a", input: "hi", background: true }))
      const live = yield* Effect.forkChild(
        call(async () => collected(await client.responses.retrieve(id, { stream: true })))
      )
      yield* Deferred.await(begun)
      yield* call(() => client.responses.cancel(id))
      const replayed = yield* call(async () => collected(await client.responses.retrieve(id, { stream: true })))
      assert.deepStrictEqual(yield* Fiber.join(live), replayed)
      assert.nestedPropertyVal(replayed.at(-1), "response.status", "cancelled")
      assert.nestedPropertyVal(replayed.at(-1), "response.error", null)
    }))
})

describe("a response that asked for a call", () => {
  const tools = [{ type: "function" as const, name: "show", parameters, strict: false }]

  /** A call, then an answer that is cut by the limit of its model. */
  const calling = Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const { model } = yield* Script.make([
      [Script.reasoning("I look."), Script.text("Let me see."), Script.toolCall("show", { page: "a" }, "c1"), used],
      [
        Script.text("The page"),
        Script.wait(Deferred.succeed(begun, undefined)),
        Script.wait(gate),
        Script.finish("length"),
        used
      ]
    ])
    const { client } = yield* serving(Agent.make({ id: "a", model }))
    const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools }))
    const made = first.output.find((item) => item.type === "function_call")
    const next = () =>
      client.responses.create({
        model: "a",
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: made?.call_id ?? "", output: "shown" }]
      })
    const read = (id: string) => call(() => client.responses.retrieve(id))
    const replayed = (id: string) => call(async () => collected(await client.responses.retrieve(id, { stream: true })))
    return { begun, gate, first, next, read, replayed }
  })

  it.live("the response stays what it was while its run continues, and when the run has ended", () =>
    Effect.gen(function*() {
      const { begun, first, gate, next, read, replayed } = yield* calling
      const [object, events] = [yield* read(first.id), yield* replayed(first.id)]
      assert.deepStrictEqual([object.status, object.output, object.usage], ["completed", first.output, first.usage])
      const continued = next()
      yield* Deferred.await(begun)
      assert.deepStrictEqual(yield* read(first.id), object)
      assert.deepStrictEqual(yield* replayed(first.id), events)
      yield* Deferred.succeed(gate, undefined)
      const second = yield* call(() => continued)
      assert.deepStrictEqual([second.status, second.output_text], ["incomplete", "The page"])
      assert.deepStrictEqual(yield* read(first.id), object)
      assert.deepStrictEqual(yield* replayed(first.id), events)
      const later = yield* read(second.id)
      assert.deepStrictEqual([later.status, later.output, later.usage], [second.status, second.output, second.usage])
    }))
})

describe("a response that asked about a failed step", () => {
  it.live("the response stays what it was while its run continues, and when the run has ended", () =>
    Effect.gen(function*() {
      const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let calls = 0
      const again = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))
      const step = Step.make({
        name: "charge",
        onError: "pause",
        run: () => ++calls === 1 ? Effect.die(new Error("no")) : Effect.as(again, "charged")
      })
      const { client } = yield* servingWith({ workflows: [Workflow.make({ id: "w", steps: [step] })] })
      const read = (id: string) => call(() => client.responses.retrieve(id))
      const first = yield* call(() => client.responses.create({ model: "w", input: "hi" }))
      const question = first.output.find((item) => item.type === "function_call")
      const object = yield* read(first.id)
      assert.deepStrictEqual([object.status, object.output], ["completed", first.output])
      const continued = client.responses.create({
        model: "w",
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: question?.call_id ?? "", output: "retry" }]
      })
      yield* Deferred.await(begun)
      assert.deepStrictEqual(yield* read(first.id), object)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* call(() => continued)).output_text, "charged")
      assert.deepStrictEqual(yield* read(first.id), object)
    }))
})

describe("GET /v1/responses/{id}/input_items", () => {
  it.live("the input items are the message of the user, with its images and files", () =>
    Effect.gen(function*() {
      const { client } = yield* serving((yield* plain).agent)
      const image_url = "data:image/png;base64,aGk="
      const response = yield* call(() =>
        client.responses.create({
          model: "plain",
          input: [
            { role: "user", content: "earlier" },
            {
              role: "user",
              content: [
                { type: "input_text", text: "Look" },
                { type: "input_image", image_url, detail: "auto" }
              ]
            }
          ]
        })
      )
      const items = yield* call(() => client.responses.inputItems.list(response.id))
      assert.lengthOf(items.data, 1)
      assert.deepInclude(items.data[0], { type: "message", role: "user", status: "completed" })
      assert.deepStrictEqual(at(items.data[0], "content"), [
        { type: "input_text", text: "Look" },
        { type: "input_image", detail: "auto", image_url }
      ])
      const all = yield* call(() => collected(client.responses.inputItems.list(response.id, { limit: 1 })))
      assert.lengthOf(all, 1)
    }))

  it.effect("the input items of a response of another user are not found", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], authorization: yield* closed })
      const as = (user: string, path: string, body?: object) =>
        Effect.flatMap(token(user, "agents:run"), (credential) =>
          ask(server, path, {
            method: body === undefined ? "GET" : "POST",
            headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
            body: body === undefined ? null : JSON.stringify(body)
          }))
      const made = yield* as("ann", "/v1/responses", { model: "plain", input: "hi" })
      const path = `/v1/responses/${String(at(made.json, "id"))}/input_items`
      assert.strictEqual((yield* as("ann", path)).status, 200)
      const other = yield* as("bob", path)
      assert.deepStrictEqual([other.status, at(other.json, "error", "code")], [404, "response_not_found"])
      for (const query of ["limit=0", "limit=101", "limit=x", "order=up"]) {
        assert.strictEqual((yield* as("ann", `${path}?${query}`)).status, 400, query)
      }
    }))
})

describe("sessions", () => {
  it.effect("a conversation on a service without authentication needs its user, and another one shares nothing", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const named = { model: "plain", conversation: "talk" }
      const requests = [
        ["/v1/responses", { ...named, input: "hi" }],
        ["/v1/chat/completions", { ...named, messages: [{ role: "user", content: "hi" }] }]
      ] as const
      for (const [path, body] of requests) {
        const refused = yield* post(server, path, body)
        assert.strictEqual(refused.status, 400)
        assert.include(String(at(refused.json, "error", "message")), "`user`")
      }
      assert.deepStrictEqual(yield* script.calls, [])
      for (const [path, body] of requests) {
        assert.strictEqual((yield* post(server, path, { ...body, user: "ann" })).status, 200)
      }
    }))

  it.effect("a conversation of a caller with a credential is that of the caller", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], authorization: yield* closed })
      const authorization = `Bearer ${yield* token("ann", "agents:run")}`
      const answer = yield* ask(server, "/v1/responses", {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ model: "plain", input: "hi", conversation: "talk" })
      })
      assert.strictEqual(answer.status, 200)
    }))

  it.effect("a conversation beside a previous response, and metadata of the service's own key, are refused", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const both = { conversation: "talk", user: "ann", previous_response_id: "resp_WyJhIiwicyJd" }
      const refused = yield* post(server, "/v1/responses", { model: "plain", input: "hi", ...both })
      assert.deepStrictEqual([refused.status, at(refused.json, "error", "code")], [
        400,
        "mutually_exclusive_parameters"
      ])
      const own = yield* post(server, "/v1/responses", { model: "plain", input: "hi", metadata: { openai: "x" } })
      assert.strictEqual(own.status, 400)
      assert.deepStrictEqual(yield* script.calls, [])
    }))
})

describe("errors", () => {
  it.effect("unknown paths and methods below /v1 have the body of errors of the API", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      for (const path of ["/v1", "/v1/", "/v1/nothing", "/v1/embeddings", "/v1/responses/x/y/z"]) {
        const unknown = yield* get(server, path)
        assert.strictEqual(unknown.status, 404, path)
        assert.hasAllKeys(at(unknown.json, "error"), ["message", "type", "code", "param"])
      }
      const wrong = yield* send(server, "DELETE", "/v1/chat/completions", {})
      assert.deepStrictEqual([wrong.status, at(wrong.json, "error", "type")], [405, "invalid_request_error"])
      const outside = yield* get(server, "/nothing")
      assert.strictEqual(typeof at(outside.json, "detail"), "string")
    }))
})
