// The bytes of a form: what is no form, what is too much of one, and names and texts that try to be something else.
import { assert, describe, it, layer } from "@effect/vitest"
import type * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, badRequest, failed, get, invalid, run, runWhole, upload } from "../Wire.ts"
import { Started, started } from "./Started.ts"

Tier.oneIn(8)

const multipart = (server: TestServer.TestServer, body: BodyInit, type = "multipart/form-data; boundary=q") =>
  ask(server, "/agents/plain/runs", { method: "POST", headers: { "content-type": type }, body })

const part = (head: string, value: string) => `--q\r\n${head}\r\n\r\n${value}\r\n`
const field = (name: string, value: string) => part(`content-disposition: form-data; name="${name}"`, value)
const aFile = part(
  "content-disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\ncontent-type: text/plain",
  "a"
)
const hello = field("message", "hi") + field("stream", "no") + field("session_id", "s")

/** Refused means: nothing asked of the model, nothing stored. */
const untouched = Effect.fnUntraced(function*(server: TestServer.TestServer, script: Script.ScriptedModel) {
  assert.deepStrictEqual(yield* script.calls, [])
  assert.strictEqual(at((yield* get(server, "/sessions")).json, "meta", "total_count"), 0)
})

layer(Started.layer)("malformed multipart", (it) => {
  it.effect.each([
    ["no boundary in the type", hello, "multipart/form-data"],
    ["an empty boundary", hello, "multipart/form-data; boundary="],
    ["another boundary in the body", hello.replaceAll("--q", "--w") + "--w--", undefined],
    ["no end", hello, undefined],
    ["an end in the middle of a value", hello.slice(0, -3), undefined],
    ["nothing at all", "", undefined],
    ["no head of a part", "--q\r\n\r\nhi\r\n--q--", undefined],
    ["a part without a name", `${part("content-disposition: form-data", "hi")}--q--`, undefined],
    ["a head that never ends", `--q\r\ncontent-disposition: form-data; name="message${"x".repeat(20_000)}`, undefined],
    ["bytes that are nothing", "\u0000\u0001\u0002", undefined],
    ["the headers of a first part that never end", "--q\r\nx: y\r\n--q--", undefined],
    ["the headers of a later part that never end", `${hello}--q\r\nx: y\r\n--q--`, undefined],
    ["the headers behind a file that never end", `${hello}${aFile}--q\r\nx: y\r\n--q--`, undefined],
    ["a part behind the end", `${hello}--q--\r\n${field("session_id", "other")}--q--`, undefined],
    ["a file behind the end", `${hello}--q--\r\n${aFile}--q--`, undefined],
    ["a part without headers behind the end", `${hello}--q--\r\n--q\r\nx: y\r\n--q--`, undefined],
    ["a second end", `${hello}--q--\r\n--q--`, undefined]
  ])("a body with %s is 400", ([, body, type]) =>
    Effect.gen(function*() {
      const { script, server } = yield* Started
      badRequest(yield* multipart(server, body!, type), "The multipart body is malformed")
      yield* untouched(server, script)
    }))
})

describe("multipart", () => {
  it.effect("what comes before and after the parts does not matter", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* multipart(server, `preamble\r\n${hello}--q--\r\nepilogue`)
      assert.strictEqual(at(answer.json, "input", "input_content"), "hi")
    }))

  it.effect("a quoted boundary is a boundary", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* multipart(server, `${hello}--q--`, "multipart/form-data; boundary=\"q\"")
      assert.strictEqual(at(answer.json, "input", "input_content"), "hi")
    }))

  it.effect("a file in place of the message is refused", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const head = "content-disposition: form-data; name=\"message\"; filename=\"m.txt\"\r\ncontent-type: text/plain"
      invalid(yield* multipart(server, `${part(head, "hi")}--q--`), [["body", "message"], "string_type"])
    }))
})

describe("limits", () => {
  const limits = { formBody: 10_000 }

  it.effect("a form over the limit is 413, in both encodings, also by a single byte", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started(limits)
      const head = "message="
      for (const size of [10_001, 100_000]) {
        const body = head + "x".repeat(size - head.length)
        const answer = yield* multipart(server, body, "application/x-www-form-urlencoded")
        failed(answer, 413, "PAYLOAD_TOO_LARGE")
      }
      failed(yield* upload(server, "plain", { message: "x".repeat(20_000) }), 413, "PAYLOAD_TOO_LARGE")
      const file = new File([new Uint8Array(20_000)], "a.png", { type: "image/png" })
      failed(yield* upload(server, "plain", { message: "hi" }, [file]), 413, "PAYLOAD_TOO_LARGE")
      yield* untouched(server, script)
    }))

  it.effect("a form of exactly the limit is read", () =>
    Effect.gen(function*() {
      const { server } = yield* started(limits)
      const head = "stream=no&message="
      const body = head + "x".repeat(10_000 - head.length)
      const answer = yield* multipart(server, body, "application/x-www-form-urlencoded")
      assert.strictEqual(answer.status, 200)
    }))

  it.effect("a body that does not say its length is counted as it comes", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started(limits)
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode("message=".padEnd(1000, "x")))
      })
      const answer = yield* ask(server, "/agents/plain/runs", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: endless,
        duplex: "half"
      } as RequestInit)
      failed(answer, 413, "PAYLOAD_TOO_LARGE")
      yield* untouched(server, script)
    }))

  it.effect("a body in JSON has the limit of JSON", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started({ formBody: 10_000, jsonBody: 1000 })
      const body = JSON.stringify({ message: "x".repeat(1000) })
      failed(
        yield* multipart(server, body, "application/json"),
        413,
        "PAYLOAD_TOO_LARGE",
        "The body is larger than 1000 bytes (MAX_JSON_BYTES)"
      )
      yield* untouched(server, script)
    }))

  it.effect("a body is refused by the length that it announces, before it is read", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started(limits)
      const unread = new ReadableStream({ pull: () => Promise.reject(new Error("The body was read")) })
      const answer = yield* ask(server, "/agents/plain/runs", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", "content-length": "10001" },
        body: unread,
        duplex: "half"
      } as RequestInit)
      failed(answer, 413, "PAYLOAD_TOO_LARGE", "The body is larger than 10000 bytes (MAX_FORM_BYTES)")
      yield* untouched(server, script)
    }))

  it.effect("an option that is larger than JSON may be is refused", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started({ formBody: 10_000, jsonBody: 1000 })
      const metadata = JSON.stringify({ a: "x".repeat(1000) })
      failed(yield* upload(server, "plain", { message: "hi", metadata }), 413, "PAYLOAD_TOO_LARGE", /'metadata'/)
      yield* untouched(server, script)
      assert.strictEqual((yield* runWhole(server, "plain", { message: "x".repeat(5000) })).status, 200)
    }))

  it.effect.runIf(Tier.isWhole)(
    "ten thousand fields are too many parts, and no trouble without parts",
    () =>
      Effect.gen(function*() {
        const { server } = yield* started()
        const many = Array.from({ length: 10_000 }, (_, index) => `f${index}`)
        const parts = many.map((name) => field(name, "1")).join("")
        failed(yield* multipart(server, `${parts}${hello}--q--`), 413, "PAYLOAD_TOO_LARGE")
        const fields = Object.fromEntries(many.map((name) => [name, "1"]))
        assert.strictEqual((yield* runWhole(server, "plain", { message: "hi", ...fields })).status, 200)
      })
  )
})

const reserved = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"]

describe("names that mean something to JavaScript", () => {
  it.effect.each(reserved)("a reserved field called %s is ignored as unknown", (name) =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answers = [
        yield* multipart(server, `${field(name, "{\"polluted\":1}")}${field(`${name}[polluted]`, "1")}${hello}--q--`),
        yield* multipart(server, `${name}=1&message=hi&stream=no`, "application/x-www-form-urlencoded")
      ]
      for (const { json, status } of answers) {
        assert.strictEqual(status, 200)
        assert.strictEqual(at(json, "content"), "Hello.")
      }
      assert.isUndefined(({} as { polluted?: unknown }).polluted)
    }))

  it.effect.each(reserved)("a form of nothing but %s has no message", (name) =>
    Effect.gen(function*() {
      const { server } = yield* started()
      invalid(yield* run(server, "plain", { [name]: "x" }), [["body", "message"], "missing"])
      invalid(yield* multipart(server, `${field(name, "x")}--q--`), [["body", "message"], "missing"])
    }))

  it.effect("an option with a key called __proto__ is refused, and changes nothing", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const evil = "{\"__proto__\":{\"polluted\":1},\"constructor\":{\"prototype\":{\"polluted\":1}},\"a\":1}"
      for (const name of ["metadata", "session_state", "dependencies", "output_schema"]) {
        const answer = yield* runWhole(server, "plain", { message: "hi", [name]: evil, session_id: "s" })
        invalid(answer, [["body", name], "value_error"])
      }
      assert.isUndefined(({} as { polluted?: unknown }).polluted)
      assert.strictEqual((yield* get(server, "/sessions/s")).status, 404)
    }))
})

describe("texts", () => {
  const texts: ReadonlyArray<readonly [string, string]> = [
    ["a NUL", "a\u0000b"],
    ["control characters", "\u0001\u001b[31m\u0085\u2028\u2029"],
    ["astral characters", "👩‍👩‍👧 𝒳"],
    ["right-to-left overrides", "\u202eabc\u202c"],
    ["a byte order mark", "\ufeffhi"],
    ["a question mark in front", "?hi"]
  ]

  it.effect.each(texts)(
    "a text with %s comes back as it was sent, and can be read again",
    ([, message]) =>
      Effect.gen(function*() {
        const { server } = yield* started()
        const { json } = yield* runWhole(server, "plain", { message, session_id: "s", run_id: "r" })
        assert.strictEqual(at(json, "input", "input_content"), message)
        const stored = yield* get(server, "/agents/plain/runs/r?session_id=s")
        assert.strictEqual(at(stored.json, "input", "input_content"), message)
        const name = TestDatabase.storedName(message)
        assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "session_name"), name)
      })
  )

  it.effect("a lone surrogate becomes the replacement character before anything sees it", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* runWhole(server, "plain", { message: "a\ud800b" })
      assert.strictEqual(at(json, "input", "input_content"), "a\ufffdb")
    }))

  it.effect("bytes that are no UTF-8 are refused, and are not stored as replacement characters", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* multipart(
        server,
        "message=%ff%fe&stream=no",
        "application/x-www-form-urlencoded"
      )
      invalid(answer, [["body", "message"], "string_unicode"])
    }))

  it.effect("a field whose name starts with a question mark is another field", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* multipart(server, "?message=hi", "application/x-www-form-urlencoded")
      invalid(answer, [["body", "message"], "missing"])
    }))

  it.effect("options nested thousands of levels deep are refused or dropped, and never a fault", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const deep = `{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`
      for (const name of ["metadata", "session_state", "dependencies", "output_schema", "images"]) {
        const { status } = yield* runWhole(server, "plain", { message: "hi", [name]: deep })
        assert.include([200, 422], status, name)
      }
    }))

  it.effect("ids of 512 characters are ids, whatever the characters", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const character of ["i", "日"]) {
        const long = character.repeat(512)
        const ids = { run_id: long, session_id: long, user_id: long }
        const { json } = yield* runWhole(server, "plain", { message: "hi", ...ids })
        assert.strictEqual(at(json, "run_id"), long)
        const path = encodeURIComponent(long)
        assert.strictEqual((yield* get(server, `/agents/plain/runs/${path}?session_id=${path}`)).status, 200)
      }
    }))

  it.effect("longer ids are 422, because no index takes them", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const long = "i".repeat(513)
      invalid(
        yield* runWhole(server, "plain", { message: "hi", run_id: long, session_id: long, user_id: long }),
        [["body", "session_id"], "string_too_long"],
        [["body", "user_id"], "string_too_long"],
        [["body", "run_id"], "string_too_long"]
      )
      yield* untouched(server, script)
    }))
})
