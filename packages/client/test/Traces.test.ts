// Traces over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { AgentRuns, Traces } from "@svc-runtime/client/effect"
import * as Agent from "@svc-runtime/features/Agent"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Effect, Option, Stream } from "effect"
import { withService } from "./ServedClient.ts"

describe("Traces", () => {
  it.live("the traces of runs are listed, read, searched and counted by session", () =>
    Effect.gen(function*() {
      const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Tea.")], [ScriptedModel.fail()]])
      const agents = [Agent.make({ id: "assistant", model })]
      yield* withService(
        { agents, traces: new TraceBuffer({ hasContent: true }) },
        Effect.gen(function*() {
          const { run_id } = yield* AgentRuns.run("assistant", { message: "what?", session_id: "s", user_id: "ann" })
          yield* AgentRuns.run("assistant", { message: "why?", session_id: "t" })
          const listed = yield* Stream.runCollect(Traces.list())
          assert.deepStrictEqual(listed.map(({ session_id, status }) => [session_id, status]), [
            ["t", "ERROR"],
            ["s", "OK"]
          ])
          const ofAnn = yield* Stream.runCollect(Traces.list({ user_id: "ann", status: "OK" }))
          assert.deepStrictEqual(ofAnn, listed.slice(1))

          const trace = Option.getOrThrow(yield* Traces.ofRun(run_id))
          assert.deepInclude(trace, { run_id, input: "what?", output: "Tea." })
          assert.isTrue(Option.isNone(yield* Traces.ofRun("unknown")))
          const id = trace.tree[0]?.spans?.[0]?.id ?? ""
          assert.deepInclude(yield* Traces.step(trace.trace_id, id), { id, type: "LLM" })

          const failed = yield* Stream.runCollect(Traces.search({
            op: "AND",
            conditions: [
              { op: "EQ", key: "agent_id", value: "assistant" },
              { op: "NOT", condition: { op: "IN", key: "status", values: ["OK"] } }
            ]
          }))
          assert.deepStrictEqual(failed, [yield* Traces.get(listed[0]?.trace_id ?? "")])
          const sessions = yield* Stream.runCollect(Traces.sessions())
          // both traces can have been stored at the same time
          assert.sameDeepMembers(sessions.map(({ session_id, total_traces }) => [session_id, total_traces]), [
            ["s", 1],
            ["t", 1]
          ])
        })
      )
    }))

  it.live("a trace that is not stored and a filter that is refused are errors with their tags", () =>
    withService(
      { traces: new TraceBuffer({ hasContent: true }) },
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(Traces.get("0".repeat(32))))._tag, "NotFound")
        const refused = Stream.runDrain(Traces.search({ op: "CONTAINS", key: "duration_ms", value: "a" }))
        assert.strictEqual((yield* Effect.flip(refused))._tag, "BadRequest")
      })
    ))
})
