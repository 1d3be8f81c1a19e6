import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Fiber } from "effect"
import { eventsOf, hanging, logged, run } from "./Harness.ts"

const once = (name: string) => [[toolCall(name)], [text("Done")]]

describe("the state of the session", () => {
  const increment = Tool.make({
    name: "increment",
    execute: (_, { sessionState }) => {
      sessionState["count"] = Number(sessionState["count"] ?? 0) + 1
      return sessionState["count"]
    }
  })
  const turns = [[toolCall("increment")], [toolCall("increment")], [text("Done")]]

  it.effect("the state is shared by the tools of a run, and returned to be stored", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [increment] }, turns, { sessionState: { count: 1, other: true } })
      assert.deepStrictEqual(ran.output.tools?.map(({ result }) => result), ["2", "3"])
      assert.deepStrictEqual(ran.stateChanges, { set: { count: 3 }, removed: [] })
      assert.deepStrictEqual(ran.output.session_state, { count: 3, other: true })
      assert.deepStrictEqual(eventsOf(ran, "RunCompleted")[0]?.session_state, { count: 3, other: true })
    }))

  it.effect("the state is the stored one with the caller's merged into it", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Hi")]], { sessionState: { a: 1, b: 1 }, session_state: { b: 2 } })
      assert.deepStrictEqual(ran.stateChanges, { set: { b: 2 }, removed: [] })
    }))

  it.effect("the state is not stored again when nothing has changed", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Hi")]], { sessionState: { a: { b: 1 } } })
      assert.isUndefined(ran.stateChanges)
      assert.deepStrictEqual(ran.output.session_state, { a: { b: 1 } })
    }))

  it.effect("the state is a copy: the stored state does not change with it", () =>
    Effect.gen(function*() {
      const stored: Json.Object = { list: [1] }
      const push = Tool.make({
        name: "push",
        execute: (_, { sessionState }) => {
          ;(sessionState["list"] as Array<number>).push(2)
        }
      })
      const ran = yield* run({ tools: [push] }, once("push"), { sessionState: stored })
      assert.deepStrictEqual(stored, { list: [1] })
      assert.deepStrictEqual(ran.stateChanges, { set: { list: [1, 2] }, removed: [] })
    }))

  it.effect("the state is stored by a failed run as well", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [increment], postHooks: [{ name: "no", run: () => Effect.fail("no") }] }, turns)
      assert.strictEqual(ran.output.status, "ERROR")
      assert.deepStrictEqual(ran.stateChanges, { set: { count: 2 }, removed: [] })
    }))

  it.effect("a state that is no longer JSON is dropped, and the log says so", () =>
    Effect.gen(function*() {
      for (const value of [12n, Symbol("s")]) {
        const spoil = Tool.make({
          name: "spoil",
          execute: (_, { sessionState }) => {
            sessionState["fine"] = true
            sessionState["spoiled"] = value as never
            if (typeof value === "symbol") sessionState["self"] = sessionState as never
          }
        })
        const { lines, result } = yield* logged(run({ tools: [spoil] }, once("spoil"), { sessionState: { a: 1 } }))
        assert.strictEqual(result.output.status, "COMPLETED")
        assert.deepStrictEqual(result.output.session_state, { a: 1 })
        assert.isUndefined(result.stateChanges)
        const line = lines.find(({ text }) => text.includes("state of the session"))
        assert.strictEqual(line?.level, "Error")
        assert.deepInclude(line?.annotations, { run_id: "run" })
      }
    }))

  it.effect("the state is stored as the JSON that it is", () =>
    Effect.gen(function*() {
      const set = Tool.make({
        name: "set",
        execute: (_, { sessionState }) => {
          sessionState["at"] = new Date(0) as never
          sessionState["gone"] = undefined as never
        }
      })
      const ran = yield* run({ tools: [set] }, once("set"))
      assert.deepStrictEqual(ran.stateChanges, { set: { at: "1970-01-01T00:00:00.000Z" }, removed: [] })
      assert.deepStrictEqual(ran.output.session_state, { at: "1970-01-01T00:00:00.000Z" })
    }))
})

describe("the context of a call", () => {
  it.effect("the context has the ids of the run and the data of the caller", () =>
    Effect.gen(function*() {
      let seen: Tool.ToolContext | undefined
      const look = Tool.make({
        name: "look",
        execute: (_, context) => {
          seen = context
        }
      })
      yield* run({ tools: [look], metadata: { team: "a", level: 1 } }, once("look"), {
        user_id: Ids.UserId.make("ada"),
        dependencies: { key: "value" },
        metadata: { level: 2 }
      })
      assert.strictEqual(seen?.agentId, "agent")
      assert.strictEqual(seen?.runId, "run")
      assert.strictEqual(seen?.sessionId, "session")
      assert.strictEqual(seen?.userId, "ada")
      assert.strictEqual(seen?.toolCallId, "call_1")
      assert.deepStrictEqual(seen?.dependencies, { key: "value" })
      assert.deepStrictEqual(seen?.metadata, { team: "a", level: 2 })
    }))

  it.effect("the context has a signal that is aborted when the run is interrupted", () =>
    Effect.gen(function*() {
      const { begun, hang } = yield* hanging
      const fiber = yield* Effect.forkChild(run({ tools: [hang] }, once("hang")))
      const signal = yield* begun
      yield* Fiber.interrupt(fiber)
      assert.isTrue(signal.aborted)
    }))
})
