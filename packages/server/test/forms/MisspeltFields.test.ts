// Unknown fields of forms: named and ignored, or refused by a strict service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, post, run, serve } from "../Wire.ts"
import { twoAgents } from "../wire/TwoAgents.ts"

Tier.oneIn(3)

describe("misspelt fields", () => {
  it.effect("a run is executed, and its response and the log name each unknown field and the one that is meant", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const answer = yield* run(server, "plain", { message: "hi", stream: "false", sesion_id: "s", other: "x" })
      assert.strictEqual(answer.status, 200)
      const sentence = "The field 'sesion_id' is unknown. Is 'session_id' meant?"
      const other = "The field 'other' is unknown. It has no effect."
      assert.strictEqual(answer.headers.get("warning"), `299 - "${sentence}", 299 - "${other}"`)
      assert.deepStrictEqual(
        server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message),
        [`${sentence} ${other}`]
      )
    }))

  it.effect("a stream and a body of JSON have the header too", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const streamed = yield* run(server, "plain", { message: "hi", backround: "false" })
      assert.match(streamed.headers.get("warning") ?? "", /Is 'background' meant/)
      const json = yield* post(server, "/agents/plain/runs", { message: "hi", stream: false, sessionId: "s" })
      assert.match(
        json.headers.get("warning") ?? "",
        /^299 - "The field 'sessionId' is unknown\. Is 'session_id' meant\?"$/
      )
    }))

  it.effect("a field that other libraries call otherwise is named as it is called here", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const fields = { threadId: "t", resourceId: "ann", maxSteps: "3" }
      const answer = yield* run(server, "plain", { message: "hi", stream: "false", ...fields })
      assert.strictEqual(answer.status, 200)
      const warning = answer.headers.get("warning") ?? ""
      assert.include(warning, "The field 'threadId' is unknown. Did you mean 'session_id'?")
      assert.include(warning, "The field 'resourceId' is unknown. Did you mean 'user_id'?")
      assert.include(warning, "The field 'maxSteps' is unknown. Set toolCallLimit of the agent")
    }))

  it.effect("a refusal has the header, and each of several fields is named", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const refused = yield* run(server, "plain", { mesage: "hi", strem: "false" })
      assert.strictEqual(refused.status, 422)
      assert.match(
        refused.headers.get("warning") ?? "",
        /Is 'message' meant\?", 299 - "The field 'strem' .* 'stream' meant\?"$/
      )
    }))

  it.effect("an option that is dropped is named in the log and in the header, in a form and in a body of JSON", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const sentences = [
        "The field 'sesion_id' is unknown. Is 'session_id' meant?",
        "The field 'metadata' is dropped: it is not the JSON it should be"
      ]
      const fields = { message: "hi", stream: "false", sesion_id: "s" }
      const form = yield* run(server, "plain", { ...fields, metadata: "{" })
      const json = yield* post(server, "/agents/plain/runs", { ...fields, metadata: [1] })
      for (const { headers, status } of [form, json]) {
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("warning"), sentences.map((sentence) => `299 - "${sentence}"`).join(", "))
      }
      assert.deepStrictEqual(
        server.logs.filter(({ level }) => level === "WARN").map(({ message }) => message),
        [...sentences, ...sentences]
      )
    }))

  it.effect("a name cannot add a header or break out of the quotes", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const body = new URLSearchParams([["message", "hi"], ["stream", "false"], ["strea\"\r\nm", "x"]])
      const answer = yield* ask(server, "/agents/plain/runs", { method: "POST", body })
      assert.match(
        answer.headers.get("warning") ?? "",
        /^299 - "The field 'strea\?\?\?m' is unknown\. Is 'stream' meant\?"$/
      )
    }))

  it.effect("fields that are known have no warning", () =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      const answer = yield* run(server, "plain", { message: "hi", stream: "false", session_id: "s" })
      assert.isNull(answer.headers.get("warning"))
    }))

  it.effect("a strict service refuses them in a form, in multipart and in JSON, and executes nothing", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [Agent.make({ id: "plain" })], settings: { strictRequests: true } })
      const fields = { message: "hi", stream: "false", sesion_id: "s" }
      const multipart = new FormData()
      for (const [name, value] of Object.entries(fields)) multipart.set(name, value)
      const path = "/agents/plain/runs"
      const answers = [
        yield* ask(server, path, { method: "POST", body: new URLSearchParams(fields) }),
        yield* ask(server, path, { method: "POST", body: multipart }),
        yield* post(server, path, fields)
      ]
      for (const { status, text } of answers) {
        assert.strictEqual(status, 422)
        assert.include(text, "The field is unknown. Is 'session_id' meant?")
      }
    }))
})
