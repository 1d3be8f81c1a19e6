// Reading runs back: one run as the response had it, a list of records with their nulls.
import { assert, describe, it } from "@effect/vitest"
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
  list,
  notFound,
  post,
  run,
  runWhole,
  second,
  serve,
  without
} from "../Wire.ts"
import { assistant, details, down, lookedUp, plain, twice } from "./Fixtures.ts"

Tier.oneIn(6)

const nothing = {
  citations: null,
  response_audio: null,
  followups: null,
  forked_from_run_id: null,
  forked_from_message_index: null,
  forked_from_session_id: null,
  regenerated_from: null,
  last_checkpoint_at_message_index: null
}

const lists = {
  reasoning_steps: [],
  references: [],
  reasoning_messages: [],
  images: [],
  videos: [],
  audio: [],
  files: []
}
const noMedia = { images: [], videos: [], audios: [], files: [] }

const served = Effect.gen(function*() {
  const agents = [(yield* assistant).agent, (yield* plain).agent, (yield* down).agent]
  return yield* serve({ agents })
})

describe("GET /agents/{id}/runs/{run_id}", () => {
  it.effect("the record is the run as the response had it, and an empty list of events", () =>
    Effect.gen(function*() {
      const server = yield* served
      const answered = yield* runWhole(server, "assistant", {
        message: "what is tea?",
        session_id: "s",
        run_id: "r",
        user_id: "ann",
        metadata: "{\"m\":2}"
      })
      const stored = yield* get(server, "/agents/assistant/runs/r?session_id=s")
      assert.strictEqual(stored.status, 200)
      assert.deepStrictEqual(at(stored.json, "events"), [])
      assert.deepStrictEqual(without(stored.json, "events"), answered.json)
    }))

  it.effect("a run is read with its session", () =>
    Effect.gen(function*() {
      const server = yield* served
      const answer = yield* get(server, "/agents/plain/runs/r")
      invalid(answer, [["query", "session_id"], "missing"])
      assert.strictEqual(at(answer.json, "detail"), "query.session_id: Field required")
    }))

  it.effect("a run is not found under another session, agent or id", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "plain", { message: "hi", session_id: "s", run_id: "r" })
      yield* runWhole(server, "plain", { message: "hi", session_id: "t", run_id: "q" })
      const paths = [
        "/agents/plain/runs/r?session_id=t",
        "/agents/plain/runs/r?session_id=",
        "/agents/plain/runs/r?session_id=none",
        "/agents/assistant/runs/r?session_id=s",
        "/agents/plain/runs/none?session_id=s",
        "/agents/plain/runs/q?session_id=s"
      ]
      for (const path of paths) notFound(yield* get(server, path), "Run not found")
      notFound(yield* get(server, "/agents/unknown/runs/r?session_id=s"), "Agent not found")
      assert.strictEqual((yield* get(server, "/agents/plain/runs/r?session_id=s")).status, 200)
    }))
})

describe("GET /agents/{id}/runs", () => {
  it.effect("the list is an array of records, oldest first, with their nulls", () =>
    Effect.gen(function*() {
      const server = yield* served
      const fields = { message: "what is tea?", session_id: "s", user_id: "ann", session_state: "{\"n\":1}" }
      const answered = yield* runWhole(server, "assistant", { ...fields, run_id: "r1" })
      yield* run(server, "assistant", { ...fields, message: "again", run_id: "r2" })
      const { json, status } = yield* get(server, "/agents/assistant/runs?session_id=s")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(column(json, "run_id"), ["r1", "r2"])
      assert.deepStrictEqual(at(json, 0), {
        run_id: "r1",
        parent_run_id: "",
        agent_id: "assistant",
        user_id: "ann",
        status: "COMPLETED",
        run_input: "what is tea?",
        content: "Tea is a leaf.",
        run_response_format: "text",
        reasoning_content: "",
        metrics: { ...twice, time_to_first_token: 0, duration: 0, details: details(twice) },
        messages: at(answered.json, "messages"),
        tools: [lookedUp(second)],
        events: null,
        created_at: dateTime,
        session_state: { n: 1 },
        input_media: noMedia,
        ...lists,
        ...nothing
      })
      const kinds = column(at(json, 1, "events"), "event")
      assert.strictEqual(kinds[0], "RunStarted")
      assert.strictEqual(kinds.at(-1), "RunCompleted")
      assert.notInclude(kinds, "RunContent")
    }))

  it.effect("missing texts are shown as empty and missing lists as null or empty", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "down", { message: "hi", session_id: "s" })
      const { json } = yield* get(server, "/agents/down/runs?session_id=s")
      assert.deepInclude(at(json, 0), { user_id: "", parent_run_id: "", tools: null, events: null, status: "ERROR" })
      assert.deepInclude(at(json, 0), { metrics: { duration: 0 }, reasoning_content: "", session_state: {} })
    }))

  it.effect("an object is shown as JSON, with the media of the input", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "plain", {
        message: "hi",
        session_id: "s",
        images: JSON.stringify([{ url: "https://example.com/a.png" }]),
        output_schema: JSON.stringify({ type: "string", title: "Word" })
      })
      const { json } = yield* get(server, "/agents/plain/runs?session_id=s")
      assert.deepStrictEqual(at(json, 0, "input_media"), { ...noMedia, images: [{ url: "https://example.com/a.png" }] })
      assert.strictEqual(at(json, 0, "run_response_format"), "text")
    }))

  it.effect("the list is filtered by status, exactly as it is written", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "plain", { message: "hi", session_id: "s" })
      const count = (status: string) =>
        Effect.map(get(server, `/agents/plain/runs?session_id=s&status=${status}`), ({ json }) => list(json).length)
      assert.strictEqual(yield* count("COMPLETED"), 1)
      for (const status of ["completed", "ERROR", "nonsense", ""]) assert.strictEqual(yield* count(status), 0, status)
    }))

  it.effect("the list needs the session, and finds none that is missing or another agent's", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "plain", { message: "hi", session_id: "s" })
      invalid(yield* get(server, "/agents/plain/runs"), [["query", "session_id"], "missing"])
      notFound(yield* get(server, "/agents/plain/runs?session_id=none"), "Session not found")
      notFound(yield* get(server, "/agents/plain/runs?session_id="), "Session not found")
      notFound(yield* get(server, "/agents/down/runs?session_id=s"), "Session not found")
      notFound(yield* get(server, "/agents/unknown/runs?session_id=s"), "Agent not found")
    }))

  it.effect("the list is empty for a session without runs", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* post(server, "/sessions", { session_id: "s", agent_id: "plain" })
      assert.deepStrictEqual((yield* get(server, "/agents/plain/runs?session_id=s")).json, [])
    }))

  it.effect("each run has the second in which it was accepted", () =>
    Effect.gen(function*() {
      const server = yield* served
      for (const run_id of ["a", "b"]) {
        yield* runWhole(server, "plain", { message: "hi", session_id: "s", run_id })
        yield* TestClock.adjust("10 seconds")
      }
      const { json } = yield* get(server, "/agents/plain/runs?session_id=s")
      assert.deepStrictEqual(column(json, "created_at"), [dateTime, "2026-11-21T01:10:23Z"])
      hasKeys(at(json, 0), ...Object.keys(at(json, 1) as object))
    }))
})
