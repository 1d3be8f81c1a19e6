// JSON bodies that are none, too many, too deep or of the wrong type, and
// what they leave behind: nothing, and no word about the inside of the service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, failed, get, invalid, leak, post, send, serve } from "../Wire.ts"

Tier.oneIn(8)

const made = Effect.fnUntraced(function*(limits: TestServer.Options["limits"] = {}) {
  const server = yield* serve({ limits })
  yield* post(server, "/sessions", { session_id: "s", session_name: "Before" })
  return server
})

const writes: ReadonlyArray<readonly [method: string, path: string]> = [
  ["POST", "/sessions"],
  ["POST", "/sessions/s/rename"],
  ["PATCH", "/sessions/s"],
  ["DELETE", "/sessions"]
]

/** What the refused request could have changed. */
const unchanged = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const { json } = yield* get(server, "/sessions")
  assert.strictEqual(at(json, "meta", "total_count"), 1)
  assert.strictEqual(at(json, "data", 0, "session_name"), "Before")
})

const malformed = [
  "{",
  "{\"a\":}",
  "nul",
  "{'a':1}",
  "{\"a\":1,}",
  "[1",
  "\u0000",
  "{\"a\":NaN}",
  "{} {}",
  "<x/>",
  "\ufeff{"
]

describe("malformed JSON", () => {
  it.effect.each(writes)(
    "a body of %s %s that is not JSON is 422 json_invalid",
    ([method, path]) =>
      Effect.gen(function*() {
        const server = yield* made()
        for (const body of malformed) {
          const answer = yield* send(server, method, path, body)
          invalid(answer, [["body"], "json_invalid"])
          assert.strictEqual(at(answer.json, "errors", 0, "msg"), "JSON decode error")
        }
        yield* unchanged(server)
      })
  )

  it.effect.each(writes.slice(1))("the request %s %s needs a body", ([method, path]) =>
    Effect.gen(function*() {
      const server = yield* made()
      failed(yield* ask(server, path, { method }), 422, "VALIDATION_ERROR")
      failed(yield* send(server, method, path, "null"), 422, "VALIDATION_ERROR")
      yield* unchanged(server)
    }))
})

describe("other types", () => {
  it.effect.each(writes)("the request %s %s accepts only JSON", ([method, path]) =>
    Effect.gen(function*() {
      const server = yield* made()
      for (
        const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data"]
      ) {
        const answer = yield* ask(server, path, { method, headers: { "content-type": type }, body: "{}" })
        failed(answer, 415, "BAD_REQUEST", /application\/json/)
      }
      yield* unchanged(server)
    }))
})

describe("sizes", () => {
  const limits = { jsonBody: 1000 }
  const body = (size: number) => `{"session_name":"${"x".repeat(size - 19)}"}`

  it.effect.each(writes)("a body of %s %s over the limit is 413", ([method, path]) =>
    Effect.gen(function*() {
      const server = yield* made(limits)
      failed(yield* send(server, method, path, body(1001)), 413, "PAYLOAD_TOO_LARGE")
      failed(yield* send(server, method, path, body(100_000)), 413, "PAYLOAD_TOO_LARGE")
      yield* unchanged(server)
    }))

  it.effect("a body of exactly the limit is read", () =>
    Effect.gen(function*() {
      const text = body(1000)
      assert.strictEqual(text.length, 1000)
      assert.strictEqual((yield* send(yield* made(limits), "PATCH", "/sessions/s", text)).status, 200)
    }))

  it.effect("the limit counts bytes, not characters", () =>
    Effect.gen(function*() {
      const text = `{"session_name":"${"日".repeat(400)}"}`
      failed(yield* send(yield* made(limits), "PATCH", "/sessions/s", text), 413, "PAYLOAD_TOO_LARGE")
    }))

  it.effect("the bytes of a body without a length are counted as they come", () =>
    Effect.gen(function*() {
      const server = yield* made(limits)
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(" ".repeat(100)))
      })
      const answer = yield* ask(server, "/sessions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: endless,
        duplex: "half"
      } as RequestInit)
      failed(answer, 413, "PAYLOAD_TOO_LARGE")
    }))
})

describe("texts", () => {
  const texts: ReadonlyArray<readonly [string, string]> = [
    ["a NUL", "a\u0000b"],
    ["astral characters", "👩‍👩‍👧 𝒳"],
    ["quotes and backslashes", "\"\\/\b\f\n\r\t</script>"],
    ["line separators", "\u2028\u2029\u0085"]
  ]

  it.effect.each(texts)("a text with %s comes back as it was sent", ([, text]) =>
    Effect.gen(function*() {
      const server = yield* made()
      const body = { session_name: text, session_state: { [text]: text }, metadata: { a: [text] } }
      const { json } = yield* send(server, "PATCH", "/sessions/s", body)
      const name = TestDatabase.storedName(text)
      assert.strictEqual(at(json, "session_name"), name)
      assert.deepStrictEqual(at(json, "session_state"), { [text]: text })
      assert.strictEqual(at((yield* get(server, "/sessions")).json, "data", 0, "session_name"), name)
    }))

  it.effect("a lone surrogate is never a fault", () =>
    Effect.gen(function*() {
      const server = yield* made()
      const answer = yield* send(server, "PATCH", "/sessions/s", "{\"session_name\":\"a\\ud800b\"}")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual((yield* get(server, "/sessions")).status, 200)
    }))

  it.effect("bytes that are no UTF-8 are refused", () =>
    Effect.gen(function*() {
      const bytes = Uint8Array.from([...new TextEncoder().encode("{\"session_name\":\""), 0xff, 0xfe, 0xc3, 0x22, 0x7d])
      const answer = yield* ask(yield* made(), "/sessions/s", {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: bytes
      })
      assert.strictEqual(answer.status, 422, answer.text)
    }))
})

describe("depth", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`

  it.effect.each([300, 5000, 15_000])(
    "a body of %d levels is refused, and changes nothing else",
    (depth) =>
      Effect.gen(function*() {
        const server = yield* made()
        for (const name of ["session_state", "metadata"]) {
          const body = `{"${name}":${nested(depth)}}`
          invalid(yield* send(server, "PATCH", "/sessions/s", body), [["body", name], "json_too_deep"])
          invalid(yield* post(server, "/sessions", body), [["body", name], "json_too_deep"])
        }
        yield* unchanged(server)
      })
  )

  it.effect("a value of a hundred levels is stored", () =>
    Effect.gen(function*() {
      const server = yield* made()
      const body = `{"session_state":${nested(100)}}`
      const { json } = yield* send(server, "PATCH", "/sessions/s", body)
      assert.strictEqual(JSON.stringify(at(json, "session_state")), nested(100))
    }))
})

describe("names that mean something to JavaScript", () => {
  it.effect("keys with a meaning in JavaScript are like any others, but for __proto__, and change nothing else", () =>
    Effect.gen(function*() {
      const server = yield* made()
      const odd = "{\"constructor\":{\"prototype\":{\"polluted\":1}},\"toString\":1}"
      const evil = "{\"__proto__\":{\"polluted\":1}}"
      const body = `{"session_state":${odd},"metadata":${odd}}`
      assert.strictEqual((yield* send(server, "PATCH", "/sessions/s", body)).status, 200)
      for (const body of [evil, `{"session_state":${evil}}`]) {
        invalid(yield* send(server, "PATCH", "/sessions/s", body), [["body"], "value_error"])
      }
      assert.isUndefined(({} as { polluted?: unknown }).polluted)
      assert.strictEqual((yield* get(server, "/sessions")).status, 200)
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "session_state", "toString"), 1)
    }))

  it.effect.each(["__proto__", "constructor", "toString"])("the id %s is accepted", (id) =>
    Effect.gen(function*() {
      const server = yield* made()
      failed(yield* get(server, `/sessions/${id}`), 404, "NOT_FOUND", `Session with id '${id}' not found`)
      assert.strictEqual((yield* post(server, "/sessions", { session_id: id })).status, 201)
      assert.strictEqual((yield* get(server, `/sessions/${id}`)).status, 200)
    }))
})

describe("responses to what is wrong", () => {
  it.effect("an error repeats only the name of a wrong value, and nothing of the implementation", () =>
    Effect.gen(function*() {
      const server = yield* made()
      const secret = "sk-live-0123456789"
      const answers = [
        yield* send(server, "PATCH", "/sessions/s", { session_name: { key: secret } }),
        yield* send(server, "PATCH", "/sessions/s", `{"session_name": ${secret}`),
        yield* get(server, `/sessions?limit=${secret}`),
        yield* get(server, `/sessions?type=${secret}`),
        yield* ask(server, "/sessions", { method: "POST", headers: { "content-type": secret }, body: secret })
      ]
      for (const answer of answers) {
        assert.isAtLeast(answer.status, 400)
        assert.notInclude(answer.text, secret)
        assert.notMatch(answer.text, leak)
      }
      assert.notInclude(JSON.stringify(server.logs), secret)
    }))
})

describe("a form with too many fields", () => {
  it.effect.runIf(Tier.isWhole)(
    "a form of more than twenty thousand fields is refused with 413 in every encoding",
    () =>
      Effect.gen(function*() {
        const { model } = yield* Script.make([])
        const server = yield* serve({ agents: [Agent.make({ id: "plain", model })] })
        const fields = {
          message: "Hi",
          ...Object.fromEntries(Array.from({ length: 300_000 }, (_, place) => [`k${place}`, "1"]))
        }
        const requests = [
          { method: "POST", body: new URLSearchParams(fields) },
          {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(Object.fromEntries(Object.entries(fields).slice(0, 21_000)))
          }
        ]
        for (const request of requests) {
          failed(yield* ask(server, "/agents/plain/runs", request), 413, "PAYLOAD_TOO_LARGE")
        }
      })
  )
})
