// Requests that name many runs: each costs its client some bytes, so the database is not asked for each of them.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Agent from "@svc-runtime/features/Agent"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, post, serve } from "../Wire.ts"

/** Counts the calls that read runs. */
const counting = Effect.gen(function*() {
  let reads = 0
  const counted = <A extends ReadonlyArray<unknown>, B>(read: (...given: A) => B) => (...given: A): B => {
    reads += 1
    return read(...given)
  }
  const { model } = yield* Script.make(Array.from({ length: 5 }, () => [Script.text("I continue.")]))
  const server = yield* serve({
    agents: [Agent.make({ id: "a", model })],
    database: (database: Database): Database => ({
      ...database,
      runs: {
        ...database.runs,
        find: counted(database.runs.find),
        snapshot: counted(database.runs.snapshot),
        outlines: counted(database.runs.outlines),
        readEvents: counted(database.runs.readEvents)
      }
    })
  })
  return { reads: () => reads, server }
})

const size = 200
const numbers = Array.from({ length: size }, (_, index) => String(index))

describe("requests that name many runs", () => {
  it.effect("the results of calls of many runs are looked up by one call of the store", () =>
    Effect.gen(function*() {
      const { reads, server } = yield* counting
      const ids = numbers.map((each) =>
        OpaqueId.ofCall({ run_id: `r${each}`, session_id: `s${each}`, toolCallId: "c" })
      )
      const messages = ids.flatMap((id) => [
        { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "order", arguments: "{}" } }] },
        { role: "tool", tool_call_id: id, content: "ok" }
      ])
      const body = { model: "a", messages: [...messages, { role: "user", content: "and now?" }] }
      const { json, text } = yield* post(server, "/v1/chat/completions", body)
      assert.strictEqual(at(json, "choices", 0, "message", "content"), "I continue.", text)
      assert.isBelow(reads(), 5)
    }))

  it.effect("items of many runs that do not exist are refused with the first ones", () =>
    Effect.gen(function*() {
      const { reads, server } = yield* counting
      const input = numbers.map((each) => ({
        type: "item_reference",
        id: OpaqueId.ofItem("msg", { run_id: `r${each}`, session_id: `s${each}`, model: "a" }, { event: 0 })
      }))
      const { json, status } = yield* post(server, "/v1/responses", { model: "a", input })
      assert.deepStrictEqual([status, at(json, "error", "code")], [404, "item_not_found"])
      assert.isBelow(reads(), 10)
    }))
})
