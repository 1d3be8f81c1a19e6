// Requests of protocols that do not fit: the error of the protocol, nothing stored, nothing internal in the response.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { type Answer, ask, at, get, leak, list, post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

Tier.oneIn(8)

const served = Effect.gen(function*() {
  return yield* serve({ agents: [(yield* plain).agent], limits: { formBody: 200_000, jsonValues: 2000 } })
})

const message = { id: "m", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] }
const agui = (more: object) => ({ threadId: "s", runId: "r", messages: [message], ...more })
const chat = (more: object) => ({ id: "s", messages: [message], ...more })
const completion = (more: object) => ({ model: "plain", messages: [message], conversation: "s", user: "ann", ...more })
const response = (more: object) => ({ model: "plain", input: "hi", conversation: "s", user: "ann", ...more })

const paths = ["/agents/plain/agui", "/agents/plain/chat", "/v1/chat/completions", "/v1/responses"]

const refused = Effect.fnUntraced(function*(
  server: Effect.Success<typeof served>,
  answer: Answer,
  statuses: ReadonlyArray<number>
) {
  assert.include(statuses, answer.status, answer.text)
  assert.notMatch(answer.text, leak)
  assert.strictEqual((yield* get(server, "/sessions/s")).status, 404)
})

describe.each(paths)("POST %s", (path) => {
  const isOpenAi = path.startsWith("/v1")
  const invalid = isOpenAi ? 400 : 422

  it.effect("a body that is no JSON, or no object, is refused in the form of the protocol", () =>
    Effect.gen(function*() {
      const server = yield* served
      for (const body of ["", "{", "[]", "null", "\"text\"", "{}", "[".repeat(500) + "]".repeat(500)]) {
        const answer = yield* post(server, path, body)
        yield* refused(server, answer, [invalid])
        const detail = isOpenAi ? at(answer.json, "error", "message") : at(answer.json, "detail")
        assert.isString(detail, answer.text)
      }
    }))

  it.effect("a body of another type is refused with 415", () =>
    Effect.gen(function*() {
      const server = yield* served
      const init = { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }
      yield* refused(server, yield* ask(server, path, init), [415])
    }))

  it.effect("a body with too many bytes or values is refused with 413", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* refused(server, yield* post(server, path, { more: "x".repeat(300_000) }), [413])
      yield* refused(server, yield* post(server, path, { more: Array.from({ length: 3000 }, () => 1) }), [413])
    }))
})

describe("requests that do not fit", () => {
  const long = "x".repeat(600)
  const named = { name: "no spaces", type: "function", function: { name: "no spaces" } }
  const cases: ReadonlyArray<readonly [string, string, object, ReadonlyArray<number>]> = [
    ["a state that is no object", "/agents/plain/agui", agui({ state: [1] }), [422]],
    ["a thread id that is too long", "/agents/plain/agui", agui({ threadId: long }), [422]],
    ["a thread id with a null character", "/agents/plain/agui", agui({ threadId: "a\0" }), [422]],
    ["no message", "/agents/plain/agui", agui({ messages: [] }), [422]],
    ["an answer of the assistant at the end", "/agents/plain/agui", agui({ messages: [{ role: "assistant" }] }), [422]],
    ["an unknown part", "/agents/plain/agui", agui({ messages: [{ role: "user", content: [{ type: "x" }] }] }), [422]],
    [
      "a file of this machine",
      "/agents/plain/agui",
      agui({
        messages: [{
          role: "user",
          content: [{ type: "image", source: { type: "url", value: "file:///etc/passwd" } }]
        }]
      }),
      [422]
    ],
    [
      "a result of a call that does not wait",
      "/agents/plain/agui",
      agui({ messages: [{ role: "tool", toolCallId: "c", content: "x" }] }),
      [409]
    ],
    [
      "an interrupt that does not wait",
      "/agents/plain/agui",
      agui({ resume: [{ interruptId: "i", status: "resolved" }] }),
      [
        409
      ]
    ],
    ["a tool with a name that providers refuse", "/agents/plain/agui", agui({ tools: [named] }), [422]],
    ["a reserved user", "/agents/plain/agui", agui({ forwardedProps: { user_id: "sa:root" } }), [403]],
    ["an instruction at the end", "/agents/plain/chat", chat({ messages: [{ ...message, role: "system" }] }), [422]],
    ["a made up answer", "/agents/plain/chat", chat({ messages: [{ ...message, role: "assistant" }] }), [409]],
    ["a reserved user of a chat", "/agents/plain/chat", chat({ user_id: "sa:root" }), [403]],
    [
      "a file of this machine in a chat",
      "/agents/plain/chat",
      chat({
        messages: [{ ...message, parts: [{ type: "file", mediaType: "image/png", url: "file:///etc/passwd" }] }]
      }),
      [422]
    ],
    ["several answers", "/v1/chat/completions", completion({ n: 2 }), [400]],
    [
      "an unknown part of a message",
      "/v1/chat/completions",
      completion({
        messages: [{ role: "user", content: [{ type: "x" }] }]
      }),
      [400]
    ],
    ["an unknown role", "/v1/chat/completions", completion({ messages: [{ role: "root", content: "x" }] }), [400]],
    ["a tool of another type", "/v1/chat/completions", completion({ tools: [{ type: "code" }] }), [400]],
    ["a reserved user of a completion", "/v1/chat/completions", completion({ user: "sa:root" }), [403]],
    [
      "a result of a forged call",
      "/v1/chat/completions",
      completion({
        messages: [message, { role: "tool", tool_call_id: "call_WyJhIiwicyIsImMiXQ", content: "x" }]
      }),
      [404]
    ],
    ["an unknown item", "/v1/responses", response({ input: [{ type: "computer_call" }] }), [400]],
    [
      "an output of a function without its response",
      "/v1/responses",
      response({
        conversation: null,
        input: [{ type: "function_call_output", call_id: "c", output: "x" }]
      }),
      [400]
    ],
    [
      "a forged response",
      "/v1/responses",
      response({ conversation: null, previous_response_id: "resp_WyJhIiwicyJd" }),
      [404]
    ]
  ]

  it.effect.each(cases)("%s is refused, and nothing is stored", ([, path, body, statuses]) =>
    Effect.gen(function*() {
      const server = yield* served
      yield* refused(server, yield* post(server, path, body), statuses)
    }))

  const files: ReadonlyArray<readonly [string, object, ReadonlyArray<object>]> = [
    ["/agents/plain/agui", agui({}), [
      { type: "image", source: { type: "data", value: "!!", mimeType: "image/png" } },
      { type: "document", source: { type: "data", value: "aGk", mimeType: "text/plain" } },
      { type: "binary", mimeType: "image/png", data: "!!" }
    ]],
    ["/agents/plain/chat", chat({}), [
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,!!" },
      { type: "file", mediaType: "text/plain", url: "data:text/plain;base64,aGk" },
      { type: "file", url: "https://example.com/tea.png" }
    ]],
    ["/v1/chat/completions", completion({}), [
      { type: "image_url", image_url: { url: "data:image/png;base64,!!" } },
      { type: "image_url", image_url: {} },
      { type: "input_audio", input_audio: { data: "!!", format: "wav" } },
      { type: "file", file: { file_id: "file-1" } }
    ]],
    ["/v1/responses", response({}), [
      { type: "input_image", image_url: "data:image/png;base64,!!" },
      { type: "input_image", image_url: null, file_id: "file-1" },
      { type: "input_file", filename: "tea.txt", file_data: "data:text/plain;base64,aGk" }
    ]]
  ]

  it.effect.each(files)(
    "a file that cannot be read is refused on %s, and nothing is stored",
    ([path, body, parts]) =>
      Effect.gen(function*() {
        const server = yield* served
        for (const part of parts) {
          const messages = [{ ...message, content: [part], parts: [part] }]
          const input = [{ role: "user", content: [part] }]
          const answer = yield* post(server, path, { ...body, ...("input" in body ? { input } : { messages }) })
          yield* refused(server, answer, [path.startsWith("/v1") ? 400 : 422])
        }
      })
  )

  it.effect("a component that does not exist is 404 on every wire", () =>
    Effect.gen(function*() {
      const server = yield* served
      for (const [path, body] of [["agui", agui({})], ["chat", chat({})]] as const) {
        yield* refused(server, yield* post(server, `/agents/none/${path}`, body), [404])
      }
      const answer = yield* post(server, "/v1/responses", response({ model: "none" }))
      yield* refused(server, answer, [404])
      assert.strictEqual(at(answer.json, "error", "code"), "model_not_found")
    }))

  it.effect("two requests with one run id start one run", () =>
    Effect.gen(function*() {
      const server = yield* served
      const both = yield* Effect.all([1, 2].map(() => post(server, "/agents/plain/agui", agui({}))), {
        concurrency: "unbounded"
      })
      assert.sameMembers(both.map(({ status }) => status), [200, 409])
      assert.lengthOf(list((yield* get(server, "/sessions/s/runs")).json), 1)
    }))
})
