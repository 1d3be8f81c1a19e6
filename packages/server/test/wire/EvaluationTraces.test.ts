// The traces of the runs of experiments and evaluations.
import { assert, describe, it } from "@effect/vitest"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { Effect } from "effect"
import { at, get, list, post } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"

describe("the traces of an evaluation", () => {
  it.live("the run of each item has a trace of its own with its judge, which is linked to the job", () =>
    Effect.gen(function*() {
      const { spans: all, ...sink } = SpanSink.memory()
      const traces = new TraceBuffer({ hasContent: true })
      const server = yield* serving([yield* saying("Paris")], { traces, spans: sink })
      const scorers = [{ type: "judge", criteria: "Paris" }]
      const items = ["The capital of France?", "The capital of Italy?"].map((input) => ({ input }))
      const dataset_id = at((yield* post(server, "/datasets", { name: "capitals", items })).json, "id")
      const experiment = { dataset_id, agent_id: "assistant", scorers, concurrency: 2 }
      const path = `/experiments/${String(at((yield* post(server, "/experiments", experiment)).json, "id"))}`
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, get(server, path)), {
        until: () => all.some(({ name }) => name === "job experiment")
      })
      assert.strictEqual(at((yield* get(server, path)).json, "status"), "COMPLETED")
      const results = list((yield* get(server, `${path}/items`)).json, "data")
      assert.lengthOf(results, 2)
      const job = all.find(({ name }) => name === "job experiment")
      for (const item of results) {
        for (const id of ["run_id", "session_id"]) {
          const found = list((yield* get(server, `/traces?${id}=${String(at(item, id))}`)).json, "data")
          assert.lengthOf(found, 1)
          assert.deepInclude(found[0] as object, {
            run_id: at(item, "run_id"),
            total_spans: 4,
            input: at(item, "input")
          })
          const spans = all.filter(({ trace_id }) => trace_id === at(found[0], "trace_id"))
          assert.sameMembers(spans.map(({ name }) => name), [
            "invoke_agent assistant",
            "chat scripted",
            "evaluate assistant",
            "chat demo"
          ])
          const linked = spans.filter(({ links }) => links.some(({ span_id }) => span_id === job?.span_id))
          assert.sameMembers(linked.map(({ name }) => name), ["invoke_agent assistant", "evaluate assistant"])
          assert.notStrictEqual(job?.trace_id, at(found[0], "trace_id"))
        }
      }
    }))

  it.live("each run of an evaluation is in a trace that its session finds", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")], { traces: new TraceBuffer({ hasContent: true }) })
      const { json } = yield* evaluate(server, { ...accuracy, num_iterations: 2 })
      for (const number of [1, 2]) {
        const session = `eval_${String(at(json, "id"))}_${number}`
        const found = list((yield* get(server, `/traces?session_id=${session}`)).json, "data")
        assert.deepStrictEqual(found.map((trace) => at(trace, "run_id")), [`${session}_run`])
      }
    }))
})
