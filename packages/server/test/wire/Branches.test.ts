// The tree of a session over HTTP: a run after a named one, and the leaf that is moved.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { remembering } from "../protocols/Remembering.ts"
import { at, column, type Fields, get, notFound, runWhole, send, serve } from "../Wire.ts"

Tier.oneIn(3)

const opened = Effect.gen(function*() {
  const { agent, seen } = yield* remembering
  const server = yield* serve({ agents: [agent] })
  const ask = (message: string, fields: Fields = {}) => runWhole(server, "a", { message, session_id: "s", ...fields })
  const patch = (body: object) => send(server, "PATCH", "/sessions/s", body)
  const session = Effect.map(get(server, "/sessions/s"), ({ json }) => json)
  return { ask, patch, seen, server, session }
})

describe("previous_run_id", () => {
  it.effect("a run after a named run sees the path to it, and `start` begins a path", () =>
    Effect.gen(function*() {
      const { ask, seen, server, session } = yield* opened
      yield* ask("one", { run_id: "r1" })
      yield* ask("two", { run_id: "r2" })
      yield* ask("other two", { run_id: "r3", previous_run_id: "r1" })
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two"])
      assert.strictEqual(at(yield* session, "current_run_id"), "r3")
      const { json } = yield* get(server, "/sessions/s/runs")
      assert.deepStrictEqual(column(json, "previous_run_id"), [undefined, "r1", "r1"])
      assert.deepStrictEqual(column(json, "is_on_path"), [true, false, true])
      yield* ask("alone", { previous_run_id: "start" })
      assert.deepStrictEqual(yield* seen, ["alone"])
      assert.deepStrictEqual(column(at(yield* session, "chat_history"), "content"), ["alone", "answer 4"])
    }))

  it.effect("a run of another session, and one that does not exist, are not found, and nothing is stored", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* opened
      yield* ask("elsewhere", { session_id: "other", run_id: "elsewhere" })
      yield* ask("one")
      for (const previous_run_id of ["elsewhere", "nothing", "\ud800"]) {
        notFound(yield* ask("two", { previous_run_id }), "Run not found")
      }
      assert.lengthOf((yield* get(server, "/sessions/s/runs")).json as ReadonlyArray<unknown>, 1)
    }))
})

describe("PATCH /sessions/{id}", () => {
  it.effect("current_run_id moves the leaf: the next run comes after it", () =>
    Effect.gen(function*() {
      const { ask, patch, seen, session } = yield* opened
      yield* ask("one", { run_id: "r1" })
      yield* ask("two", { run_id: "r2" })
      yield* ask("other two", { run_id: "r3", previous_run_id: "r1" })
      const moved = yield* patch({ current_run_id: "r2" })
      assert.strictEqual(moved.status, 200)
      assert.strictEqual(at(moved.json, "current_run_id"), "r2")
      assert.deepStrictEqual(column(at(yield* session, "chat_history"), "content"), [
        "one",
        "answer 1",
        "two",
        "answer 2"
      ])
      yield* ask("three")
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two", "answer 2", "three"])
      assert.isNull(at((yield* patch({ current_run_id: "start" })).json, "current_run_id"))
      yield* ask("alone")
      assert.deepStrictEqual(yield* seen, ["alone"])
    }))

  it.effect("a run that is not in the session is not found, and nothing changes", () =>
    Effect.gen(function*() {
      const { ask, patch, session } = yield* opened
      yield* ask("elsewhere", { session_id: "other", run_id: "elsewhere" })
      yield* ask("one", { run_id: "r1" })
      for (const current_run_id of ["elsewhere", "nothing"]) {
        notFound(yield* patch({ current_run_id, session_name: "New" }), "Run not found")
      }
      const { current_run_id, session_name } = (yield* session) as Record<string, unknown>
      assert.deepStrictEqual({ current_run_id, session_name }, { current_run_id: "r1", session_name: "one" })
    }))
})

describe("a run that is regenerated", () => {
  it.effect("the new run takes its place, and what came after it leaves the path", () =>
    Effect.gen(function*() {
      const { ask, seen, server, session } = yield* opened
      yield* ask("one", { run_id: "r1" })
      yield* ask("two", { run_id: "r2" })
      const { json } = yield* send(server, "POST", "/agents/a/runs/r1/continue", {
        session_id: "s",
        regenerate: true,
        stream: false
      })
      assert.strictEqual(at(json, "regenerated_from"), "r1")
      assert.deepStrictEqual(column(at(yield* session, "chat_history"), "content"), ["one", "answer 3"])
      yield* ask("three")
      assert.deepStrictEqual(yield* seen, ["one", "answer 3", "three"])
    }))
})
