// The events of teams that are cancelled, or whose member or leader fails.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { at, column, frames, get, hasKeys, list, serve } from "../Wire.ts"
import { answered, base, delegate, eventLines, member, post, start, streamed, teamOf, whole } from "./TeamStreams.ts"

Tier.oneIn(3)

const stored = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/teams/desk/runs/r?session_id=s"), ({ json }) => json)

describe("a team that is cancelled in a member", () => {
  const served = Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const hanging = [text("So far"), Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
    const team = yield* teamOf([yield* member("reader", [hanging])], [[delegate("reader")]])
    return { begun, server: yield* serve({ teams: [team] }) }
  })

  it.effect("a cancelled team ends with the member's end and its own, and no completed event follows", () =>
    Effect.gen(function*() {
      const { begun, server } = yield* served
      const running = yield* Effect.forkChild(start(server))
      yield* Deferred.await(begun)
      yield* post(server, "/r/cancel?session_id=s", {})
      const all = frames((yield* Fiber.join(running)).text)
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunContent",
        "reader RunCancelled",
        "desk TeamRunCancelled"
      ])
      const [inner, last] = all.slice(-2).map(({ data }) => data)
      hasKeys(last, ...base, "content", "reason")
      assert.strictEqual(at(last, "reason"), "Run r was cancelled")
      assert.strictEqual(at(inner, "content"), "So far")
    }))

  it.effect("a caller who waits for a cancelled team gets its output so far", () =>
    Effect.gen(function*() {
      const { begun, server } = yield* served
      const running = yield* Effect.forkChild(start(server, { stream: "false" }))
      yield* Deferred.await(begun)
      yield* post(server, "/r/cancel?session_id=s", {})
      const { json, status } = yield* Fiber.join(running)
      assert.deepStrictEqual([status, at(json, "status")], [200, "CANCELLED"])
      const [response] = list(json, "member_responses")
      assert.deepInclude(response, { status: "CANCELLED", agent_id: "reader", parent_run_id: "r" })
      assert.strictEqual(at(yield* stored(server), "status"), "CANCELLED")
    }))
})

describe("a member that fails", () => {
  it.effect("a member that fails says so, and its leader gets the error and continues", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[Script.fail("The archive is closed")]])
      const { all, server } = yield* streamed(yield* teamOf([reader], [[delegate("reader")], [text("Sorry.")]]))
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunError",
        "desk TeamToolCallCompleted",
        "desk TeamToolCallError",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const completed = all.find(({ kind }) => kind === "TeamToolCallCompleted")?.data
      const error = all.find(({ kind }) => kind === "RunError")?.data
      assert.strictEqual(at(completed, "tool", "tool_call_error"), true)
      assert.strictEqual(at(completed, "tool", "child_run_id"), at(error, "run_id"))
      assert.strictEqual(at(error, "error_type"), "model_provider_error")
      const run = yield* stored(server)
      assert.strictEqual(at(run, "status"), "COMPLETED")
      assert.deepStrictEqual(column(list(run, "member_responses"), "status"), ["ERROR"])
    }))
})

describe("a leader that fails", () => {
  const failing = Effect.gen(function*() {
    const reader = yield* member("reader", [[text("Read.")]])
    return yield* teamOf([reader], [[delegate("reader")], [Script.fail("The leader is away")]])
  })

  it.effect("a leader that fails ends the stream with TeamRunError, and the run is stored as failed, with its members", () =>
    Effect.gen(function*() {
      const { all, server } = yield* streamed(yield* failing)
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        ...whole("reader"),
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunError"
      ])
      const last = all.at(-1)?.data
      hasKeys(last, ...base, "content", "error_type")
      assert.include(String(at(last, "content")), "The leader is away")
      const run = yield* stored(server)
      assert.deepInclude(run, { status: "ERROR", content: at(last, "content") })
      assert.deepStrictEqual(column(list(run, "member_responses"), "status"), ["COMPLETED"])
    }))

  it.effect("a leader that fails responds with 200 and the error as its content when it is not streamed", () =>
    Effect.gen(function*() {
      const server = yield* serve({ teams: [yield* failing] })
      const { json, status } = yield* start(server, { stream: "false" })
      assert.deepStrictEqual([status, at(json, "status")], [200, "ERROR"])
      assert.include(String(at(json, "content")), "The leader is away")
      assert.strictEqual(list(json, "member_responses").length, 1)
      assert.strictEqual(at(yield* stored(server), "status"), "ERROR")
    }))
})

describe("without the events in between", () => {
  it.effect("a team without intermediate events shows its requirement and its error", () =>
    Effect.gen(function*() {
      const sign = Tool.make({ name: "sign", requiresConfirmation: true, execute: () => "signed" })
      const reader = yield* member("reader", [])
      const paused = yield* teamOf([reader], [[text("Now. "), toolCall("sign", {}, "c")]], { tools: [sign] })
      const failed = yield* teamOf([reader], [[Script.fail("Away")]])
      const quiet = { stream_events: "false" }
      assert.deepStrictEqual(eventLines((yield* streamed(paused, quiet)).all), [
        "desk TeamRunContent",
        "desk TeamRunPaused"
      ])
      assert.deepStrictEqual(eventLines((yield* streamed(failed, quiet)).all), ["desk TeamRunError"])
    }))
})
