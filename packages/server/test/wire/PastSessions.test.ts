// The tool that searches past sessions, and which runs it leaves out.
import { assert, describe, it } from "@effect/vitest"
import * as Session from "@svc-runtime/domain/Session"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, runWhole, send } from "../Wire.ts"
import { answer, fields, open, summarizing, summary, textOf } from "./Summarizing.ts"

Tier.oneIn(2)

describe("an agent that searches past sessions", () => {
  it.live("the tool search_past_sessions finds sessions of the caller with this agent, without the current one", () =>
    Effect.gen(function*() {
      const talking = yield* Script.make([
        answer,
        answer,
        answer,
        [Script.toolCall("search_past_sessions", { query: "tea" }, "1")],
        answer
      ])
      const agent = Agent.make({ id: "agent", model: talking.model, searchPastSessions: true })
      const { server } = yield* open({ agents: [agent] })
      yield* runWhole(server, "agent", { ...fields, session_id: "past" })
      yield* runWhole(server, "agent", { ...fields, message: "Bob likes tea", session_id: "bob", user_id: "bob" })
      yield* runWhole(server, "agent", { ...fields, message: "Tea here" })
      const { json } = yield* runWhole(server, "agent", { ...fields, message: "What do I like?" })
      const { result } = (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!
      const found = JSON.parse(result) as ReadonlyArray<object>
      assert.strictEqual(found.length, 1)
      assert.deepInclude(found[0]!, { name: "I like tea.", runs: ["user: I like tea.\nassistant: Noted."] })
    }))

  it.live("a run with memory=false is neither summarized after a later run, nor found", () =>
    Effect.gen(function*() {
      const call = [Script.toolCall("search_past_sessions", { query: "" }, "1")]
      const service = yield* summarizing([answer, answer, call, answer], [summary("Tea.")], {}, {
        searchPastSessions: true
      })
      yield* runWhole(service.server, "agent", { ...fields, message: "A secret", memory: "false" })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const [request] = yield* service.writing.calls
      assert.include(textOf(request!, "user"), "I like tea.")
      assert.notInclude(textOf(request!, "user"), "A secret")
      const { json } = yield* runWhole(service.server, "agent", { ...fields, session_id: "later" })
      const { result } = (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!
      assert.include(result, "user: I like tea.")
      assert.notInclude(result, "A secret")
    }))

  it.live("a run that regenerates one from before an erasure is not summarized", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [summary("Later.")], { afterRuns: 2 })
      const { json } = yield* runWhole(service.server, "agent", { ...fields, message: "Old" })
      yield* send(service.server, "DELETE", "/users/ann/memory", {})
      const again = new URLSearchParams({ session_id: "s", regenerate: "true", stream: "false" })
      const path = `/agents/agent/runs/${String(at(json, "run_id"))}/continue`
      const { status } = yield* service.server.fetch(path, { method: "POST", body: again })
      assert.strictEqual(status, 200)
      yield* runWhole(service.server, "agent", fields)
      const threshold = { runs: 1, bytes: 1 }
      const found = yield* service.stores().sessions.unsummarized(Session.Id.make("s"), threshold)
      const { messages } = yield* Effect.fromOption(found)
      assert.deepStrictEqual(messages.map(({ content }) => content), ["I like tea.", "Noted."])
    }))

  it.live("the tool search_past_sessions finds nothing without a user, with memory=false, and for users without memory", () =>
    Effect.gen(function*() {
      const call = [Script.toolCall("search_past_sessions", { query: "" })]
      const talking = yield* Script.make([answer, call, answer, call, answer, call, answer])
      const agent = Agent.make({ id: "agent", model: talking.model, searchPastSessions: true })
      const { server } = yield* open({ agents: [agent] })
      yield* runWhole(server, "agent", { ...fields, session_id: "past" })
      const resultOf = ({ json }: { readonly json: unknown }) =>
        (at(json, "tools") as ReadonlyArray<{ readonly result: string }>)[0]!.result
      assert.include(resultOf(yield* runWhole(server, "agent", { message: "Hi" })), "no past sessions")
      assert.include(resultOf(yield* runWhole(server, "agent", { ...fields, memory: "false" })), "no past sessions")
      yield* send(server, "PUT", "/users/ann/memory-settings", { enabled: false })
      assert.include(resultOf(yield* runWhole(server, "agent", fields)), "switched memory off")
    }))
})
