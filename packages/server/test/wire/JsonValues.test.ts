// The number of values in JSON is limited wherever callers send it: the time to decode it grows with them.
import { assert, describe, it } from "@effect/vitest"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { always, type Answer, failed, get, list, post, run, send, serve } from "../Wire.ts"

const numbers = Array.from({ length: 200 }, (_, index) => index)
const fields = Object.fromEntries(numbers.map((each) => [`key${each}`, each]))

const refused = (answer: Answer, subject: string) =>
  failed(answer, 413, "PAYLOAD_TOO_LARGE", `${subject} has more than 100 JSON values (MAX_JSON_VALUES)`)

const started = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello"))
  return yield* serve({ limits: { jsonValues: 100 }, agents: [Agent.make({ id: "plain", model })] })
})

describe("the number of JSON values", () => {
  it.effect("A JSON body with more values than allowed is refused before it is decoded.", () =>
    Effect.gen(function*() {
      const server = yield* started
      refused(yield* post(server, "/sessions", { session_id: "s", session_state: fields }), "The body")
      refused(yield* send(server, "DELETE", "/sessions", { session_ids: numbers.map(String) }), "The body")
      refused(yield* post(server, "/agents/plain/runs", { message: "Hi", metadata: fields }), "The body")
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data"), [])
    }))

  it.effect("A form field with more JSON values than allowed is refused, and a long message is not.", () =>
    Effect.gen(function*() {
      const server = yield* started
      refused(
        yield* run(server, "plain", { message: "Hi", session_state: JSON.stringify(fields) }),
        "The field 'session_state'"
      )
      refused(yield* run(server, "plain", { message: "Hi", images: JSON.stringify(numbers) }), "The field 'images'")
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data"), [])
      assert.strictEqual((yield* run(server, "plain", { message: JSON.stringify(numbers) })).status, 200)
    }))

  it.effect("A message that is decoded, because its component declares an input, has no more values than allowed.", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello"))
      const inputSchema = Schema.Array(Schema.Finite)
      const server = yield* serve({
        limits: { jsonValues: 100 },
        agents: [Agent.make({ id: "plain", model, inputSchema })]
      })
      const sent = (count: number) => run(server, "plain", { message: JSON.stringify(numbers.slice(0, count)) })
      refused(yield* sent(200), "The message")
      assert.deepStrictEqual(list((yield* get(server, "/sessions")).json, "data"), [])
      assert.strictEqual((yield* sent(90)).status, 200)
    }))

  it("Brackets count, however deep they are.", () => {
    assert.isTrue(JsonValues.exceed("[".repeat(60_000), 20_000))
    assert.isTrue(JsonValues.exceed(`{"a":`.repeat(60_000), 20_000))
    assert.isFalse(JsonValues.exceed("[".repeat(20_000) + "]".repeat(20_000), 20_000))
  })

  it.effect("JSON with more levels than values are allowed is refused before it is decoded.", () =>
    Effect.gen(function*() {
      const server = yield* started
      const levels = "[".repeat(500) + "]".repeat(500)
      refused(yield* post(server, "/agents/plain/runs", `{"message":"Hi","metadata":${levels}}`), "The body")
      const completion = yield* post(server, "/v1/chat/completions", `{"model":"plain","messages":${levels}}`)
      assert.strictEqual(completion.status, 413)
      refused(yield* run(server, "plain", { message: "Hi", metadata: levels }), "The field 'metadata'")
    }))

  it("Commas and brackets inside of strings are no values.", () => {
    const text = JSON.stringify({ text: `${",[{".repeat(100)}\\"`, other: ["\\", ",,,,,,,,,,,"] })
    assert.isFalse(JsonValues.exceed(text, 10))
    assert.isTrue(JsonValues.exceed(JSON.stringify(numbers), 199))
    assert.isFalse(JsonValues.exceed(JSON.stringify(numbers), 200))
  })
})
