// The runs of a session: a list without nulls, one record with them, and three ways of being absent.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type * as Json from "@svc-runtime/domain/Json"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  at,
  column,
  dateTime,
  get,
  hasKeys,
  invalid,
  notFound,
  post,
  run,
  runWhole,
  second,
  serve,
  without
} from "../Wire.ts"
import { assistant, plain } from "./Fixtures.ts"
import { start } from "./Flows.ts"

Tier.oneIn(10)

const always = [
  "run_id",
  "parent_run_id",
  "agent_id",
  "user_id",
  "status",
  "run_input",
  "content",
  "run_response_format",
  "reasoning_content",
  "reasoning_steps",
  "metrics",
  "messages",
  "created_at",
  "references",
  "reasoning_messages",
  "session_state",
  "images",
  "videos",
  "audio",
  "files",
  "input_media",
  "is_on_path"
]

/** Three runs, ten seconds apart: `a`, `b` and `c`. */
const three = Effect.gen(function*() {
  const server = yield* serve({ agents: [(yield* plain).agent, (yield* assistant).agent] })
  for (const run_id of ["a", "b", "c"]) {
    yield* runWhole(server, "plain", { message: run_id, session_id: "s", user_id: "ann", run_id })
    yield* TestClock.adjust("10 seconds")
  }
  return server
})

describe("GET /sessions/{id}/runs", () => {
  it.effect("the list is an array in the order of acceptance, without nulls", () =>
    Effect.gen(function*() {
      const { json, status } = yield* get(yield* three, "/sessions/s/runs")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(column(json, "run_id"), ["a", "b", "c"])
      hasKeys(at(json, 0), ...always)
      assert.deepStrictEqual(column(json, "previous_run_id"), [undefined, "a", "b"])
      assert.deepInclude(at(json, 0), {
        run_input: "a",
        content: "Hello.",
        run_response_format: "text",
        created_at: dateTime,
        user_id: "ann",
        parent_run_id: "",
        reasoning_content: "",
        references: [],
        session_state: {},
        input_media: { images: [], videos: [], audios: [], files: [] }
      })
    }))

  it.effect("a run has tools and events where there are some", () =>
    Effect.gen(function*() {
      const server = yield* three
      yield* run(server, "assistant", { message: "hi", session_id: "t" })
      const { json } = yield* get(server, "/sessions/t/runs?type=agent")
      hasKeys(at(json, 0), ...always, "tools", "events")
    }))

  it.effect.each([
    [`created_after=${second}`, ["a", "b", "c"]],
    [`created_after=${second + 1}`, ["b", "c"]],
    [`created_before=${second}`, ["a"]],
    [`created_before=${second - 1}`, []],
    [`created_after=${second + 10}&created_before=${second + 10}`, ["b"]],
    [`created_after=${second + 10}&created_before=${second}`, []],
    ["created_after=0", ["a", "b", "c"]],
    ["created_before=0", []],
    ["created_after=-1", ["a", "b", "c"]]
  ])("bounds are inclusive, and 0 is one: %s", ([query, found]) =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* three, `/sessions/s/runs?${query as string}`)
      assert.deepStrictEqual(column(json, "run_id"), found as Array<unknown>)
    }))

  it.effect.each(["created_after", "created_before"])(
    "the bound %s is a whole number",
    (name) =>
      Effect.gen(function*() {
        const server = yield* three
        for (const value of ["", "x", "1.5", "2026-11-21T01:10:13Z"]) {
          invalid(yield* get(server, `/sessions/s/runs?${name}=${value}`), [["query", name], "int_parsing"])
        }
      })
  )

  it.effect.each<[Json.Value, Json.Value]>([
    [42, "42"],
    [true, "true"],
    [[1, 2], "[\n  1,\n  2\n]"],
    [null, ""],
    [{ a: [1] }, { a: [1] }]
  ])(
    "the content %j of a run is %j in records, which are text or an object",
    ([value, content]) =>
      Effect.gen(function*() {
        const valued = Workflow.make({ id: "valued", steps: [Step.make({ name: "value", run: () => value })] })
        const server = yield* serve({ workflows: [valued] })
        assert.deepStrictEqual<unknown>(at((yield* start(server, "valued")).json, "content"), value)
        for (const path of ["/sessions/s/runs", "/workflows/valued/runs?session_id=s"]) {
          assert.deepStrictEqual<unknown>(column((yield* get(server, path)).json, "content"), [content])
        }
        assert.deepStrictEqual<unknown>(at((yield* get(server, "/sessions/s/runs/r")).json, "content"), content)
      })
  )

  it.effect("the list of a session without runs is empty", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions", { session_id: "s" })
      assert.deepStrictEqual((yield* get(server, "/sessions/s/runs")).json, [])
    }))

  it.effect("the list of an unknown session, or of another user's, is 404", () =>
    Effect.gen(function*() {
      const server = yield* three
      notFound(yield* get(server, "/sessions/none/runs"), "Session with ID none not found")
      notFound(yield* get(server, "/sessions/s/runs?user_id=bob"), "Session with ID s not found")
      assert.strictEqual((yield* get(server, "/sessions/s/runs?user_id=ann")).status, 200)
    }))

  it.effect("a list with an unknown type is 422", () =>
    Effect.gen(function*() {
      invalid(yield* get(yield* three, "/sessions/s/runs?type=x"), [["query", "type"], "enum"])
    }))
})

describe("GET /sessions/{id}/runs/{run_id}", () => {
  it.effect("a run is shown as the record, with its nulls", () =>
    Effect.gen(function*() {
      const server = yield* three
      const { json, status } = yield* get(server, "/sessions/s/runs/b")
      assert.strictEqual(status, 200)
      hasKeys(
        json,
        ...always,
        "previous_run_id",
        "tools",
        "events",
        "citations",
        "response_audio",
        "followups",
        "forked_from_run_id",
        "forked_from_message_index",
        "forked_from_session_id",
        "regenerated_from",
        "last_checkpoint_at_message_index"
      )
      assert.deepInclude(json as object, { run_id: "b", run_input: "b", tools: null, events: null, citations: null })
      const { json: records } = yield* get(server, "/agents/plain/runs?session_id=s")
      assert.deepStrictEqual(at(records, 1), without(json, "previous_run_id", "is_on_path"))
    }))

  it.effect("a run is not found in three cases", () =>
    Effect.gen(function*() {
      const server = yield* three
      yield* post(server, "/sessions", { session_id: "empty" })
      yield* runWhole(server, "plain", { message: "x", session_id: "t", run_id: "x" })
      notFound(yield* get(server, "/sessions/none/runs/a"), "Session with ID none not found")
      notFound(yield* get(server, "/sessions/s/runs/a?user_id=bob"), "Session with ID s not found")
      notFound(yield* get(server, "/sessions/empty/runs/a"), "Session with ID empty has no runs")
      notFound(yield* get(server, "/sessions/s/runs/x"), "Run with ID x not found in session s")
      notFound(yield* get(server, "/sessions/s/runs/none"), "Run with ID none not found in session s")
    }))
})
