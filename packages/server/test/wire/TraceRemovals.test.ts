// What is stored of runs that began before their session was deleted, or the memory of their user.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Tool } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, get, list, send } from "../Wire.ts"
import { serveTraced, start } from "./TracedRuns.ts"

describe("the traces of a user whose memory was deleted", () => {
  it.effect("a paused run that is continued after the deletion is not stored, and a new run is", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("pay", {}, "call")],
        [Script.text("Paid.")],
        [Script.text("Hello.")]
      ])
      const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "ok" })
      const server = yield* serveTraced({ agents: [Agent.make({ id: "clerk", model, tools: [pay] })] })
      const path = "/agents/clerk/runs"
      const paused = yield* start(server, path, { session_id: "s" })
      yield* TestClock.adjust("3 seconds")
      const removed = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.strictEqual(at(removed.json, "traces"), 1)
      yield* TestClock.adjust("3 seconds")
      const tools = JSON.stringify([{ ...(at(paused.json, "tools", 0) as object), confirmed: true }])
      const body = new URLSearchParams({ tools, session_id: "s", user_id: "ann", stream: "false" })
      const continued = yield* ask(server, `${path}/${String(at(paused.json, "run_id"))}/continue`, {
        method: "POST",
        body
      })
      assert.strictEqual(at(continued.json, "status"), "COMPLETED", continued.text)
      const traces = Effect.map(
        get(server, "/traces"),
        ({ json }) => list(json, "data").map((one) => at(one, "run_id"))
      )
      assert.deepStrictEqual(yield* traces, [])
      const next = yield* start(server, path, { session_id: "s" })
      assert.deepStrictEqual(yield* traces, [at(next.json, "run_id")])
    }))
})
