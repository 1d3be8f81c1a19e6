// The span of an evaluation of a run, in the trace of the run. Each score is an event of it, by the GenAI conventions.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { Effect, Exit } from "effect"
import { Tracer } from "effect"
import * as Content from "./Content.ts"
import * as RunSpan from "./RunSpan.ts"
import * as Spans from "./Spans.ts"

export interface Subject {
  readonly run: AnyRun.Output
  /** The last attempt of a run that the job around has started. Undefined: the span around is one of the run. */
  readonly attempt: number | undefined
  readonly user_id: string | null
  /** The database of the session. */
  readonly database: string | undefined
}

export interface Result {
  readonly name: string
  /** Without a score and a decision there is no verdict. */
  readonly score: number | null
  readonly passed: boolean | null
  readonly explanation: string | null
}

/** The job has started the run in a trace of its own. */
const placeOf = ({ attempt, database, run, user_id }: Subject, around: Tracer.AnySpan | undefined) => {
  const { run_id, session_id } = run
  if (around === undefined || attempt === undefined) return {}
  const { id, kind } = AnyRun.componentOf(run)
  const [traceId, spanId] = [RunSpan.traceIdOf(run_id), RunSpan.spanIdOf(run_id, attempt)]
  return {
    parent: Tracer.externalSpan({ traceId, spanId, sampled: around.sampled }),
    links: [{ span: around, attributes: { "svc.link": "job" } }],
    run: {
      run_id,
      session_id,
      user_id,
      ...ComponentKind.idsOf(kind, id),
      run_started_at: run.created_at * 1_000_000,
      ...(database === undefined ? {} : { database })
    },
    isAfterRun: true
  }
}

const attributesOf = ({ explanation, name, passed, score }: Result, hasContent: boolean) => ({
  "gen_ai.evaluation.name": name,
  "gen_ai.evaluation.score.value": score ?? undefined,
  "gen_ai.evaluation.score.label": passed === null ? undefined : passed ? "pass" : "fail",
  "error.type": score === null && passed === null ? "_OTHER" : undefined,
  ...(hasContent && explanation !== null ? { [Content.explanation]: Content.redacted(explanation) } : {})
})

export const around = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  subject: Subject,
  resultsOf: (value: A) => ReadonlyArray<Result>
): Effect.Effect<A, E, R> =>
  Spans.around(
    effect,
    ({ around }) => ({
      name: `evaluate ${AnyRun.componentOf(subject.run).id}`,
      ...placeOf(subject, around),
      attributes: {
        "openinference.span.kind": "EVALUATOR",
        "gen_ai.conversation.id": subject.run.session_id,
        "svc.run.id": subject.run.run_id
      }
    }),
    {
      close: (span, exit: Exit.Exit<A, E>, { hasContent }, time) => {
        if (exit._tag === "Failure") return
        for (const result of resultsOf(exit.value)) {
          span.event("gen_ai.evaluation.result", time, attributesOf(result, hasContent))
        }
      }
    }
  )
