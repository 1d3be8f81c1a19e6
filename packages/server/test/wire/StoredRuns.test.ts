// Stored components execute runs: with the version that is current at the start of a run, and with that one to its end.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc/runtime/database/Database"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Script from "@svc/testing/ScriptedModel"
import * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { json } from "../authorization/Subject.ts"
import { ask, at, failed, type Fields, get, notFound, post, send, serve } from "../Wire.ts"

/** The instructions that the model got are its answer. */
const instructed = ({ prompt }: Script.Call): ReadonlyArray<Script.Step> => {
  const system = prompt.content.find(({ role }) => role === "system")
  return [Script.text(String(system?.content))]
}

const registryOf = Effect.map(
  Script.make(Array.from({ length: 100 }, () => instructed)),
  ({ model }) => ({ models: [model] })
)

const model = { id: "scripted", provider: "Scripted" }

const runOf = (server: TestServer.TestServer, path: string, fields: Fields = {}) =>
  ask(server, `${path}/runs`, {
    method: "POST",
    body: new URLSearchParams({ message: "Hi", stream: "false", ...fields })
  })

const answerOf = (server: TestServer.TestServer, path: string, fields: Fields = {}) =>
  Effect.map(runOf(server, path, fields), ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    return String(at(json, "content"))
  })

describe("a stored agent", () => {
  it.effect("it answers with its current version, and with another one that the request names", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry: yield* registryOf })
      const body = { name: "Greeter", model, instructions: "First" }
      assert.strictEqual((yield* post(server, "/agents", body)).status, 201)
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "First")
      yield* send(server, "PATCH", "/agents/greeter", { instructions: "Second" })
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "Second")
      assert.strictEqual(yield* answerOf(server, "/agents/greeter", { version: "1" }), "First")
      yield* post(server, "/components/greeter/configs/1/set-current", {})
      assert.strictEqual(yield* answerOf(server, "/agents/greeter"), "First")
      notFound(yield* runOf(server, "/agents/greeter", { version: "3" }), "Agent not found")
      notFound(yield* runOf(server, "/teams/greeter"), "Team not found")
      yield* send(server, "DELETE", "/components/greeter/configs/2", undefined)
      notFound(yield* runOf(server, "/agents/greeter", { version: "2" }), "Agent not found")
    }))

  it.effect("only callers who may change it try its drafts", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ registry: yield* registryOf })
      const [runner, writer] = [yield* token("ann", "agents:run"), yield* token("bob", "agents:run", "agents:g:write")]
      const body = { id: "g", name: "G", model, instructions: "Draft", stage: "draft" }
      const author = yield* token("eve", "agents:write")
      const made = yield* call(server, { path: "/agents", init: json("POST", body) }, author)
      assert.strictEqual(made.status, 201, made.text)
      const runAs = (bearer: string, fields: Fields) =>
        call(server, {
          path: "/agents/g/runs",
          init: { method: "POST", body: new URLSearchParams({ message: "Hi", stream: "false", ...fields }) }
        }, bearer)
      notFound(yield* runAs(writer, {}), "Agent not found")
      failed(yield* runAs(runner, { version: "1" }), 403, "FORBIDDEN", /agents:write/)
      assert.strictEqual(at((yield* runAs(writer, { version: "1" })).json, "content"), "Draft")
    }))

  it.effect("its runs stay readable after it is deleted, and no new one begins", () =>
    Effect.gen(function*() {
      const server = yield* serve({ registry: yield* registryOf })
      yield* post(server, "/agents", { name: "Greeter", model, instructions: "First" })
      yield* answerOf(server, "/agents/greeter", { run_id: "r", session_id: "s" })
      yield* send(server, "DELETE", "/agents/greeter", undefined)
      notFound(yield* runOf(server, "/agents/greeter"), "Agent not found")
      const { json } = yield* get(server, "/agents/greeter/runs/r?session_id=s")
      assert.strictEqual(at(json, "content"), "First")
      notFound(yield* get(server, "/agents/other/runs/r?session_id=s"), "Agent not found")
    }))

  it.effect("a run is resumed after a restart with the version of its start, which is no longer current", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      let calls = 0
      const slow = Tool.make({
        name: "slow",
        effects: "read",
        // the process stops during the first call
        execute: () => ++calls === 1 ? Effect.andThen(Deferred.succeed(started, undefined), Effect.never) : "done"
      })
      const turn = (call: Script.Call) =>
        call.prompt.content.some(({ role }) => role === "tool") ? instructed(call) : [Script.toolCall("slow")]
      const scripted = yield* Script.make(Array.from({ length: 10 }, () => turn))
      let stores: Database | undefined
      const options: TestServer.Options = {
        registry: { models: [scripted.model], tools: [slow] },
        database: (database) => stores ??= database
      }
      const life = yield* Scope.make()
      const first = yield* Scope.provide(serve(options), life)
      yield* post(first, "/agents", { name: "Greeter", model, instructions: "First", tools: ["slow"] })
      yield* runOf(first, "/agents/greeter", { run_id: "r", session_id: "s", background: "true" })
      yield* Deferred.await(started)
      yield* send(first, "PATCH", "/agents/greeter", { instructions: "Second" })
      yield* send(first, "DELETE", "/agents/greeter", undefined)
      yield* Scope.close(life, Exit.void)
      const second = yield* TestServer.make(options)
      const { json } = yield* Effect.repeat(
        Effect.andThen(TestClock.adjust("1 second"), get(second, "/agents/greeter/runs/r?session_id=s")),
        { until: ({ json }) => at(json, "status") === "COMPLETED", times: 30 }
      )
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.strictEqual(at(json, "content"), "First")
      assert.strictEqual(calls, 2)
    }))
})
