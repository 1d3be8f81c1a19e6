// The bytes of an event stream: one frame per event, named, numbered, compact.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, at, frames, kindsOf, run, runFrames, second, serve } from "../Wire.ts"
import { assistant, plain } from "../wire/Fixtures.ts"

Tier.oneIn(6)

describe("framing", () => {
  it.effect("a stream is exactly its frames: a name, an id, one line of compact JSON, an empty line", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { text } = yield* run(yield* serve({ agents: [agent] }), "plain", {
        message: "hi",
        run_id: "r",
        session_id: "s",
        stream_events: "false"
      })
      const event = (event_index: number, content: string) => ({
        created_at: second,
        event: "RunContent",
        agent_id: "plain",
        agent_name: "Plain",
        run_id: "r",
        session_id: "s",
        nested_depth: 0,
        event_index,
        workflow_agent: false,
        content_type: "str",
        reasoning_content: "",
        content
      })
      const all = frames(text)
      assert.deepStrictEqual<unknown>(all.map(({ data }) => data), [event(2, "Hel"), event(3, "lo.")])
      const written = all.map(({ data, id, kind }) => `event: ${kind}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
      assert.strictEqual(text, written.join(""))
    }))

  it.effect("the response is 200, an event stream in UTF-8, and not to be cached or buffered", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { headers, status } = yield* run(yield* serve({ agents: [agent] }), "plain", { message: "hi" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual(headers.get("cache-control"), "no-cache")
      assert.strictEqual(headers.get("x-accel-buffering"), "no")
      assert.isNull(headers.get("content-length"))
    }))

  it.effect("event_index counts from 0 without a gap, is the id of the frame, and event is its name", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const all = yield* runFrames(yield* serve({ agents: [agent] }), "assistant", { message: "hi" })
      assert.isAbove(all.length, 8)
      for (const [index, { data, id, kind }] of all.entries()) {
        assert.strictEqual(id, index)
        assert.strictEqual(data["event_index"], index)
        assert.strictEqual(data["event"], kind)
      }
    }))

  it.effect("every event carries the base fields, and one run and session", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const all = yield* runFrames(yield* serve({ agents: [agent] }), "assistant", { message: "hi", session_id: "s" })
      const runId = all[0]?.data["run_id"]
      for (const { data } of all) {
        const { agent_id, agent_name, created_at, nested_depth, run_id, session_id } = data
        assert.deepStrictEqual(
          { agent_id, agent_name, created_at, nested_depth, run_id, session_id },
          {
            agent_id: "assistant",
            agent_name: "Assistant",
            created_at: second,
            nested_depth: 0,
            run_id: runId,
            session_id: "s"
          }
        )
        assert.notInclude(Object.values(data), null)
      }
    }))

  it.effect("text is UTF-8 as it is, and line ends stay inside of the JSON", () =>
    Effect.gen(function*() {
      const answer = "Grüße\n\ndata: 日本\r\nevent: RunCompleted\n\n👋\u2028\u0000"
      const { model } = yield* always(Script.text(answer))
      const { text } = yield* run(yield* serve({ agents: [Agent.make({ id: "a", model })] }), "a", { message: "hi" })
      assert.include(text, "Grüße\\n\\ndata: 日本\\r\\nevent")
      const all = frames(text)
      assert.deepStrictEqual(all.filter(({ kind }) => kind === "RunContent").map(({ data }) => data["content"]), [
        answer
      ])
      assert.strictEqual(at(all.at(-1)?.data, "content"), answer)
    }))

  it.effect("a character that arrives in two pieces is not broken", () =>
    Effect.gen(function*() {
      const pieces = ["日", "本語", "👩‍", "👧"]
      const { model } = yield* always(Script.text(...pieces))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const all = yield* runFrames(server, "a", { message: "hi", stream_events: "no" })
      assert.deepStrictEqual(all.map(({ data }) => data["content"]), pieces)
    }))

  it.effect("the last event is the end: no marker follows", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const { text } = yield* run(yield* serve({ agents: [agent] }), "plain", { message: "hi" })
      assert.notInclude(text, "[DONE]")
      assert.match(text, /\}\n\n$/)
      assert.strictEqual(kindsOf(frames(text)).at(-1), "RunCompleted")
    }))

  it.effect("a long answer comes whole and in order", () =>
    Effect.gen(function*() {
      const pieces = Array.from({ length: 5000 }, (_, index) => `${index} `)
      const { model } = yield* always(Script.text(...pieces))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const all = yield* runFrames(server, "a", { message: "hi" })
      const content = all.filter(({ kind }) => kind === "RunContent").map(({ data }) => data["content"]).join("")
      assert.strictEqual(content, pieces.join(""))
      assert.deepStrictEqual(all.map(({ id }) => id), all.map((_, index) => index))
    }))
})
