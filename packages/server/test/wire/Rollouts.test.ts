// Rollouts: which version a session or a user gets, what stops a version, and what cannot be a rollout.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, badRequest, column, failed, get, list, notFound, post, runWhole, send, serve } from "../Wire.ts"

const path = "/components/support"

/** A stored agent with three published versions, of which the first one is current. */
const prepared = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  yield* post(server, "/agents", { name: "Support", instructions: "one" })
  for (const instructions of ["two", "three"]) {
    const { status, text } = yield* post(server, `${path}/configs`, {
      config: { instructions },
      stage: "published",
      set_current: false
    })
    assert.strictEqual(status, 201, text)
  }
  assert.strictEqual(at((yield* get(server, path)).json, "current_version"), 1)
})

const served = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn> = Array.from({ length: 100 }, () => [Script.text("Yes")]),
  options: TestServer.Options = {}
) {
  const { model } = yield* Script.make(turns)
  const server = yield* serve({ model, ...options })
  yield* prepared(server)
  return server
})

const shares = (...parts: ReadonlyArray<readonly [version: number, share: number]>) =>
  parts.map(([version, share]) => ({ version, share }))

const start = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object) {
  const answer = yield* post(server, `${path}/rollout`, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.json
})

const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, fields: Record<string, string>) {
  const { status, text } = yield* runWhole(server, "support", { message: "hi", ...fields })
  assert.strictEqual(status, 200, text)
})

/** The numbers of runs by version. */
const counted = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const { json, text } = yield* get(server, `${path}/versions/compare`)
  return Object.fromEntries(
    list(json, "versions").map((each) => [at(each, "version"), at(each, "runs", "total")])
  ) as Record<string, number> & { readonly [text]: never }
})

describe("rollouts", () => {
  it.effect("each session keeps its version, and the comparison counts the runs of each version", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([1, 50], [2, 50]) })
      for (let session = 0; session < 10; session++) yield* ask(server, { session_id: `session-${session}` })
      const once = yield* counted(server)
      assert.isAbove(once["1"]!, 0)
      assert.isAbove(once["2"]!, 0)
      for (let session = 0; session < 10; session++) yield* ask(server, { session_id: `session-${session}` })
      assert.deepStrictEqual(yield* counted(server), { 1: once["1"]! * 2, 2: once["2"]! * 2 })
    }))

  it.effect("a named version overrides the shares, and a share of 100 % is for all runs that name none", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([2, 100]) })
      for (const session_id of ["a", "b", "c"]) yield* ask(server, { session_id })
      yield* ask(server, { session_id: "d", version: "3" })
      yield* ask(server, {})
      assert.deepStrictEqual(yield* counted(server), { 1: 0, 2: 4, 3: 1 })
      const { json } = yield* send(server, "PATCH", `${path}/rollout`, { versions: shares([1, 100], [2, 0]) })
      assert.strictEqual(at(json, "state"), "active")
      yield* ask(server, { session_id: "a" })
      assert.deepStrictEqual(yield* counted(server), { 1: 1, 2: 4, 3: 1 })
    }))
})

void badRequest, column, failed, notFound, TestClock
