// Which events are stored, and which are sent with stream_events=false.
import { assert, describe, it } from "@effect/vitest"
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import { Effect } from "effect"
import { get, kindsOf, runFrames, serve } from "../Wire.ts"
import { assistant, down, plain } from "../wire/Fixtures.ts"

const stream = (agent: Agent.Agent, fields: Record<string, string> = {}) =>
  Effect.flatMap(serve({ agents: [agent] }), (server) => runFrames(server, agent.id, { message: "hi", ...fields }))

const request = ["ModelRequestStarted", "ModelRequestCompleted"]

describe("stream_events=false", () => {
  it.effect("stream_events=false leaves the answer unchanged: a normal end has no last event", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const all = yield* stream(agent, { stream_events: "false" })
      assert.deepStrictEqual(kindsOf(all), ["RunContent", "RunContent"])
    }))

  it.effect("stream_events=false shows why there is no answer", () =>
    Effect.gen(function*() {
      const { agent } = yield* down
      assert.deepStrictEqual(kindsOf(yield* stream(agent, { stream_events: "0" })), ["RunError"])
    }))
})

describe("stored events", () => {
  it.effect("the stored events are those of the stream without the pieces of the answer", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const server = yield* serve({ agents: [agent] })
      const fields = { message: "hi", run_id: "r", session_id: "s" }
      const all = yield* runFrames(server, "assistant", fields)
      const { json } = yield* get(server, "/agents/assistant/runs/r?session_id=s")
      const kept = all.filter(({ kind }) => kind !== "RunContent").map(({ data }) => data)
      assert.deepStrictEqual((json as { events: unknown }).events, kept)
    }))

  it.effect("the stored events are the same when the caller wanted only the answer", () =>
    Effect.gen(function*() {
      const { agent } = yield* plain
      const server = yield* serve({ agents: [agent] })
      yield* runFrames(server, "plain", { message: "hi", run_id: "r", session_id: "s", stream_events: "false" })
      const { json } = yield* get(server, "/agents/plain/runs/r?session_id=s")
      const kinds = (json as { events: ReadonlyArray<{ event: string }> }).events.map(({ event }) => event)
      assert.deepStrictEqual(kinds, ["RunStarted", ...request, "RunContentCompleted", "RunCompleted"])
    }))
})
