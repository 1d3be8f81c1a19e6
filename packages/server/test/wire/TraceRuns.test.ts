// Traces with several runs: each of them finds the trace, which shows the first one.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Team } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { always, ask, at, column, get, list, post } from "../Wire.ts"
import { newest, serveTraced, start } from "./TracedRuns.ts"

const trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"

const hello = Effect.map(always(Script.text("Hello.")), ({ model }) => model)

/** The run and the trace that each of the requests finds. */
const found = Effect.fnUntraced(function*(server: TestServer.TestServer, key: string, id: string) {
  const answers = [
    yield* get(server, `/traces?${key}=${id}`),
    yield* post(server, "/traces/search", { filter: { op: "EQ", key, value: id } }),
    yield* post(server, "/traces/search", { filter: { op: "IN", key, values: ["none", id] } })
  ]
  return answers.map(({ json }) => list(json, "data").map((trace) => [at(trace, "run_id"), at(trace, "trace_id")]))
})

describe("a trace with several runs", () => {
  it.effect("requests under one traceparent have a trace that each of their runs and sessions finds", () =>
    Effect.gen(function*() {
      const model = yield* hello
      const server = yield* serveTraced({
        agents: [Agent.make({ id: "one", model }), Agent.make({ id: "two", model })]
      })
      const call = (agent: string) =>
        ask(server, `/agents/${agent}/runs`, {
          method: "POST",
          headers: { traceparent: `00-${trace_id}-00f067aa0ba902b7-01` },
          body: new URLSearchParams({ message: "Hi", stream: "false", user_id: "ann", session_id: `of-${agent}` })
        })
      const [first, second] = [yield* call("one"), yield* call("two")]
      yield* start(server, "/agents/two/runs", { session_id: "alone" })
      const shown = [[at(first.json, "run_id"), trace_id]]
      for (
        const [key, id] of [
          ["run_id", String(at(first.json, "run_id"))],
          ["run_id", String(at(second.json, "run_id"))],
          ["session_id", "of-one"],
          ["session_id", "of-two"]
        ] as const
      ) {
        assert.deepStrictEqual(yield* found(server, key, id), [shown, shown, shown], id)
        const others = yield* post(server, "/traces/search", { filter: { op: "NEQ", key, value: id } })
        assert.deepStrictEqual(column(list(others.json, "data"), "session_id"), ["alone"], id)
      }
    }))

  it.effect("the run of a member finds the trace of its team", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "poet", task: "Rhyme." })],
        [Script.text("Done.")]
      ])
      const poet = Agent.make({ id: "poet", model: yield* hello })
      const server = yield* serveTraced({ teams: [Team.make({ id: "crew", model, members: [poet] })] })
      const run = yield* start(server, "/teams/crew/runs")
      const { detail } = yield* newest(server)
      const member = String(at(detail, "tree", 0, "spans", 1, "spans", 0, "metadata", "run_id"))
      assert.notStrictEqual(member, at(run.json, "run_id"))
      const shown = [[at(run.json, "run_id"), at(detail, "trace_id")]]
      assert.deepStrictEqual(yield* found(server, "run_id", member), [shown, shown, shown])
    }))
})
