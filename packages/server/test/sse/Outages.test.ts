// Streams of a run that is handed over while the database does not reply: the run continues later, so no stream says
// that it has failed.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, get, serve } from "../Wire.ts"
import { reading } from "./Reading.ts"

const continues = "The database does not reply. This does not end the run: watch its events again"

/** An agent that says a word. Its next step is lost with the database. */
const served = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const { model } = yield* Script.make([
    [Script.text("Once"), Script.wait(gate), Script.toolCall("look", {}, "call_1")],
    [Script.text("Once"), Script.toolCall("look", {}, "call_1")],
    [Script.text("Done.")]
  ])
  const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
  let isAway = false
  const database = (database: Database): Database => ({
    ...database,
    runs: {
      ...database.runs,
      // the execution breaks off, as it does when the node has no heartbeat
      record: (step) => Effect.suspend(() => isAway ? Effect.die("lost") : database.runs.record(step)),
      readEvents: (...request) =>
        Effect.suspend(() => isAway ? new StorageUnavailable({ cause: "lost" }) : database.runs.readEvents(...request))
    }
  })
  const server = yield* serve({ agents: [Agent.make({ id: "slow", model, tools: [look] })], database })
  const lose = Effect.andThen(Effect.sync(() => (isAway = true)), Deferred.succeed(gate, undefined))
  return { server, lose, mend: () => (isAway = false) }
})

const text = [{ text: "hi" }]
const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params })
const hi = { role: "user", content: "hi" }
const message10 = { message: { messageId: "m", role: "ROLE_USER", parts: text } }
const message03 = { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] } }

/** The wire, its path, the body, and what the last frame has. */
const streams: ReadonlyArray<readonly [string, string, object, string]> = [
  ["A2A 1.0 over JSON-RPC", "/a2a/agents/slow", rpc("SendStreamingMessage", message10), `"id":7,"error":`],
  ["A2A 1.0 over HTTP", "/a2a/agents/slow/message:stream", message10, "event: error"],
  ["A2A 0.3 over JSON-RPC", "/a2a/agents/slow", rpc("message/stream", message03), `"id":7,"error":`],
  ["AG-UI", "/agents/slow/agui", { threadId: "s", runId: "r", messages: [{ id: "m", ...hi }] }, "RUN_ERROR"],
  ["the UI message stream", "/agents/slow/chat", {
    id: "s",
    messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }]
  }, `"type":"error"`],
  ["completions of OpenAI", "/v1/chat/completions", { model: "slow", stream: true, messages: [hi] }, `{"error":`],
  ["responses of OpenAI", "/v1/responses", { model: "slow", stream: true, input: "hi" }, "response.failed"]
]

describe("a stream of a run in an outage of the database", () => {
  it.effect("the stream ends with the frame of a shutdown, and a later one has the rest of the run", () =>
    Effect.gen(function*() {
      const { lose, mend, server } = yield* served
      const body = new URLSearchParams({ message: "hi", session_id: "s", run_id: "r" })
      const stream = reading(yield* server.fetch("/agents/slow/runs", { method: "POST", body }))
      yield* stream.until("Once")
      yield* lose
      const rest = yield* stream.rest
      assert.strictEqual(rest, `event: error\ndata: ${JSON.stringify({ event: "error", error: continues })}\n\n`)
      mend()
      const run = Effect.andThen(TestClock.adjust("1 second"), get(server, "/agents/slow/runs/r?session_id=s"))
      const ended = yield* Effect.repeat(run, { until: ({ json }) => at(json, "status") === "COMPLETED", times: 60 })
      assert.strictEqual(at(ended.json, "content"), "Done.", ended.text)
    }))

  it.effect.each(streams)(
    "a stream of %s says in its own error that the run continues",
    ([, path, body, last]) =>
      Effect.gen(function*() {
        const { lose, server } = yield* served
        const headers = { "content-type": "application/json" }
        const stream = reading(yield* server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) }))
        yield* stream.until("Once")
        yield* lose
        const rest = yield* stream.rest
        assert.include(rest, last)
        assert.include(rest, continues)
      })
  )
})
