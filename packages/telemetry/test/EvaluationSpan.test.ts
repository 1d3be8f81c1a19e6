// The span of an evaluation: where it is in the trace, and the event of each score.
import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import { Effect, Tracer } from "effect"
import * as EvaluationSpan from "../src/EvaluationSpan.ts"
import * as RunSpan from "../src/RunSpan.ts"
import * as Spans from "../src/Spans.ts"
import * as SpanSink from "../src/SpanSink.ts"
import { SpanTracer } from "../src/SpanTracer.ts"

const run: Run.Output = {
  run_id: Run.Id.make("run"),
  session_id: "conversation",
  agent_id: "guide",
  agent_name: "Guide",
  status: "COMPLETED",
  content_type: "str",
  created_at: 1
}

const results: ReadonlyArray<EvaluationSpan.Result> = [
  { name: "polite", score: 0.5, passed: false, explanation: "No greeting, key sk-live-0123456789" },
  { name: "short", score: null, passed: true, explanation: null },
  { name: "judge", score: null, passed: null, explanation: "It did not answer" }
]

const spansOf = Effect.fnUntraced(function*(
  within: (evaluating: Effect.Effect<void>) => Effect.Effect<void>,
  attempt: number | undefined,
  hasContent = true
) {
  const sink = SpanSink.memory()
  const subject = { run, attempt, user_id: "ann", database: "main" }
  const evaluating = EvaluationSpan.around(Effect.void, subject, () => results)
  yield* Effect.provideService(within(evaluating), Tracer.Tracer, new SpanTracer({ sinks: [sink], hasContent }))
  return sink.spans
})

const ids = {
  run_id: "run",
  session_id: "conversation",
  user_id: "ann",
  agent_id: "guide",
  team_id: null,
  workflow_id: null
}

describe("the span of an evaluation", () => {
  it.effect("each score is an event by the conventions, without credentials", () =>
    Effect.gen(function*() {
      const [span] = yield* spansOf((evaluating) => Spans.around(evaluating, () => ({ name: "job experiment" })), 1)
      assert.deepStrictEqual(span?.events.map(({ attributes }) => attributes), [
        {
          "gen_ai.evaluation.name": "polite",
          "gen_ai.evaluation.score.value": 0.5,
          "gen_ai.evaluation.score.label": "fail",
          "gen_ai.evaluation.explanation": "No greeting, key [redacted]"
        },
        { "gen_ai.evaluation.name": "short", "gen_ai.evaluation.score.label": "pass" },
        {
          "gen_ai.evaluation.name": "judge",
          "error.type": "_OTHER",
          "gen_ai.evaluation.explanation": "It did not answer"
        }
      ])
      assert.isTrue(
        span?.events.every(({ name, time }) => name === "gen_ai.evaluation.result" && time === span.ended_at)
      )
      const [without] = yield* spansOf((evaluating) => evaluating, 1, false)
      assert.notInclude(JSON.stringify(without), "explanation")
    }))

  it.effect("the span is below the last attempt of the run, in the trace of the run, and is linked to the job of the run", () =>
    Effect.gen(function*() {
      const inJob = (evaluating: Effect.Effect<void>) => Spans.around(evaluating, () => ({ name: "job experiment" }))
      const [span, job] = yield* spansOf(inJob, 2)
      assert.deepInclude(span, {
        ...ids,
        name: "evaluate guide",
        trace_id: RunSpan.traceIdOf("run"),
        links: [{ trace_id: job?.trace_id ?? "", span_id: job?.span_id ?? "", attributes: { "svc.link": "job" } }],
        parent_span_id: RunSpan.spanIdOf("run", 2),
        database: "main",
        // a removal since then is one of the run
        run_started_at: run.created_at * 1_000_000,
        is_after_run: true
      })
      const inside = () => ({ name: "job online_scoring", run: ids, isAfterRun: true })
      const [scored, around] = yield* spansOf((evaluating) => Spans.around(evaluating, inside), undefined)
      assert.deepInclude(scored, { ...ids, parent_span_id: around?.span_id ?? "", is_after_run: true })
    }))
})
