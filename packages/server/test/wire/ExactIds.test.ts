// Ids that a store would change are refused wherever a caller can write one: two ids must never become one.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { always, ask, at, get, invalid, post, runWhole, send, serve } from "../Wire.ts"

const started = Effect.gen(function*() {
  const script = yield* always(Script.text("Hello."))
  const server = yield* serve({ agents: [Agent.make({ id: "plain", model: script.model })] })
  return { script, server }
})

describe("an id with a null character or half of a character", () => {
  it.effect("an id with an invalid character is refused in forms and JSON", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started
      for (const name of ["run_id", "session_id", "user_id"]) {
        const problem = [["body", name], "string_unicode"] as const
        invalid(yield* runWhole(server, "plain", { message: "hi", [name]: "a\0b" }), [[...problem[0]], problem[1]])
        const body = `{"message":"hi","stream":false,"${name}":"a\\ud800"}`
        invalid(yield* post(server, "/agents/plain/runs", body), [[...problem[0]], problem[1]])
      }
      invalid(yield* send(server, "POST", "/sessions", { session_id: "a\0b" }), [
        ["body", "session_id"],
        "string_unicode"
      ])
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("an id with an invalid character is refused in paths and queries", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      invalid(yield* get(server, "/sessions/a%00b"), [["path", "session_id"], "string_unicode"])
      invalid(yield* get(server, "/agents/a%00b"), [["path", "agent_id"], "string_unicode"])
      invalid(yield* get(server, "/agents/plain/runs/a%00b?session_id=s"), [["path", "run_id"], "string_unicode"])
      invalid(yield* get(server, "/agents/plain/runs/r?session_id=a%00b"), [["query", "session_id"], "string_unicode"])
      invalid(yield* get(server, "/sessions?user_id=a%00b"), [["query", "user_id"], "string_unicode"])
      const cancelled = yield* ask(server, "/agents/plain/runs/a%00b/cancel", { method: "POST" })
      invalid(cancelled, [["path", "run_id"], "string_unicode"])
      assert.strictEqual(at((yield* get(server, "/sessions")).json, "meta", "total_count"), 0)
    }))
})
