// The form that starts a run, field by field.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, failed, get, invalid, list, notFound, run, runWhole, upload, uuid } from "../Wire.ts"
import { started } from "./StartedRuns.ts"

Tier.oneIn(12)

const truths = ["true", "True", "TRUE", "1", "yes", "YES", "on", "t", "y", "Y"]
const lies = ["false", "False", "FALSE", "0", "no", "No", "off", "f", "n", "N"]
const neither = ["maybe", "2", " true", "null", "none", "[]", "truefalse", "-1", "oui"]

describe("booleans", () => {
  it.effect.each(truths)("the value %s means true", (stream) =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* run(server, "plain", { message: "hi", stream })
      assert.strictEqual(answer.headers.get("content-type"), "text/event-stream; charset=utf-8")
    }))

  it.effect.each(lies)("the value %s means false", (stream) =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const answer = yield* run(server, "plain", { message: "hi", stream })
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.strictEqual(answer.status, 200)
    }))

  it.effect.each(neither)(
    "the value %j is neither, and refused with the name of the field",
    (stream) =>
      Effect.gen(function*() {
        const { script, server } = yield* started()
        const answer = yield* run(server, "plain", { message: "hi", stream })
        invalid(answer, [["body", "stream"], "bool_parsing"])
        assert.strictEqual(
          at(answer.json, "errors", 0, "msg"),
          "Input should be a valid boolean, unable to interpret input"
        )
        assert.deepStrictEqual(yield* script.calls, [])
      })
  )

  it.effect("every flag is checked, and all that are wrong are named at once", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const flags = [
        "stream",
        "background",
        "stream_events",
        "use_json_schema",
        "add_history_to_context",
        "add_dependencies_to_context",
        "add_session_state_to_context"
      ]
      const answer = yield* run(server, "plain", Object.fromEntries(flags.map((name) => [name, "x"])))
      invalid(
        answer,
        [["body", "message"], "missing"],
        ...flags.map((name) => [["body", name], "bool_parsing"] as const)
      )
    }))

  it.effect("stream is true when it is left out, or empty", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const fields of [{ message: "hi" }, { message: "hi", stream: "" }]) {
        const answer = yield* run(server, "plain", fields)
        assert.strictEqual(answer.headers.get("content-type"), "text/event-stream; charset=utf-8")
      }
    }))
})

describe("message", () => {
  const missing: ReadonlyArray<readonly [string, RequestInit]> = [
    ["an empty form", { body: new URLSearchParams() }],
    ["an empty message", { body: new URLSearchParams({ message: "" }) }],
    ["no body at all", {}]
  ]

  it.effect.each(missing)("a message that is %s is 422 and names the field", ([, init]) =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const answer = yield* ask(server, "/agents/plain/runs", { method: "POST", ...init })
      invalid(answer, [["body", "message"], "missing"])
      assert.strictEqual(at(answer.json, "errors", 0, "msg"), "Field required")
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("a body without a type is 415", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const body = new Blob(["message=hi"])
      failed(yield* ask(server, "/agents/plain/runs", { method: "POST", body }), 415, "BAD_REQUEST")
    }))

  it.effect("a missing message is reported before an unknown agent", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      invalid(yield* run(server, "unknown", {}), [["body", "message"], "missing"])
      notFound(yield* run(server, "unknown", { message: "hi" }), "Agent not found: 'unknown'. ")
    }))

  it.effect.each(["null", "none", "true", " ", "0", "{}"])(
    "the message %j is accepted",
    (message) =>
      Effect.gen(function*() {
        const { server } = yield* started()
        const answer = yield* runWhole(server, "plain", { message })
        assert.strictEqual(at(answer.json, "input", "input_content"), message)
      })
  )

  it.effect("the last value of a repeated field counts, in both encodings", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const twice = [["message", "one"], ["stream", "no"], ["message", "two"]]
      const body = new FormData()
      for (const [name, value] of twice) body.append(name!, value!)
      for (const form of [new URLSearchParams(twice), body]) {
        const answer = yield* ask(server, "/agents/plain/runs", { method: "POST", body: form })
        assert.strictEqual(at(answer.json, "input", "input_content"), "two")
      }
    }))
})

describe("ids", () => {
  it.effect("the fields run_id, session_id and user_id are used as given", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const ids = { run_id: "r-1", session_id: "s-1", user_id: "ann" }
      const { json } = yield* runWhole(server, "plain", { message: "hi", ...ids })
      for (const [key, value] of Object.entries(ids)) assert.strictEqual(at(json, key), value)
      assert.strictEqual((yield* get(server, "/agents/plain/runs/r-1?session_id=s-1")).status, 200)
    }))

  it.effect("ids that are missing or empty are version 4 UUIDs, and there is no user", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const fields of [{ message: "hi" }, { message: "hi", run_id: "", session_id: "", user_id: "" }]) {
        const { json } = yield* runWhole(server, "plain", fields)
        assert.match(String(at(json, "run_id")), uuid)
        assert.match(String(at(json, "session_id")), uuid)
        assert.isUndefined(at(json, "user_id"))
      }
    }))

  it.effect("a session may be called none, but an option that is none is left out", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* runWhole(server, "plain", { message: "hi", session_id: "none", run_id: "None" })
      assert.strictEqual(at(json, "session_id"), "none")
      assert.match(String(at(json, "run_id")), uuid)
    }))

  it.effect("the field version is a whole number", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      assert.strictEqual((yield* runWhole(server, "plain", { message: "hi", version: "3" })).status, 200)
      invalid(yield* runWhole(server, "plain", { message: "hi", version: "abc" }), [["body", "version"], "int_parsing"])
    }))
})

describe("both encodings", () => {
  it.effect("multipart and urlencoded forms mean the same", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const fields = { message: "Grüße & mehr = 100%+1\r\nüber Zeilen", stream: "false", metadata: "{\"a\":\"ü\"}" }
      const urlencoded = yield* run(server, "plain", fields)
      const multipart = yield* upload(server, "plain", fields)
      for (const { json } of [urlencoded, multipart]) {
        assert.strictEqual(at(json, "input", "input_content"), fields.message)
        assert.deepStrictEqual(at(json, "metadata"), { a: "ü" })
      }
    }))

  it.effect("unknown fields are ignored", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const unknown = { monitor: "true", factory_input: "{}", knowledge_filters: "[", foo: "bar", "a[b]": "1" }
      for (const send of [run, upload]) {
        const { json, status } = yield* send(server, "plain", { message: "hi", stream: "no", ...unknown })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(list(json, "messages").length, 2)
      }
    }))

  it.effect("parameters and spelling of the content type do not matter", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const type of ["application/x-www-form-urlencoded; charset=utf-8", "Application/X-WWW-Form-UrlEncoded"]) {
        const answer = yield* ask(server, "/agents/plain/runs", {
          method: "POST",
          headers: { "content-type": type },
          body: "message=hi+there%21&stream=false"
        })
        assert.strictEqual(at(answer.json, "input", "input_content"), "hi there!")
      }
    }))
})
