// Calls of the stores of evaluation runs and feedback, for the tests of plans and of faults.
import * as Owner from "@svc/domain/Owner"
import { EvalRunStore } from "@svc/runtime/evaluation/EvalRunStore"
import { FeedbackStore } from "@svc/runtime/feedback/FeedbackStore"
import { completed, evalRun, jobOf } from "@svc/testing/suites/evaluations/SampleEvalRuns"
import * as FeedbackStoreSuite from "@svc/testing/suites/FeedbackStoreSuite"
import { runId, userId } from "@svc/testing/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** One in a thousand has not ended. */
export const fillEvaluations = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_eval_runs (
      id, eval_type, agent_id, team_id, eval_data, status, total, job_id, request, created_at, updated_at
    )
    select 'eval-' || number, 'accuracy', case number % 2 when 0 then 'agent-' || number % 100 end,
      case number % 2 when 1 then 'team-' || number % 100 end, '{}',
      case number % 1000 when 0 then 'RUNNING' else 'COMPLETED' end, 1, 'job-' || number, null, number, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_eval_results (eval_id, place, body)
    select 'eval-' || number, 0, '{}' from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_feedback (
      id, run_id, session_id, kind, component_id, owner_id, user_id, source, key, score, created_at, updated_at
    )
    select 'feedback-' || number, 'run-' || number, 'session-' || number, 'agent', 'a-' || number % 100,
      'user-' || number % 100, 'user-' || number % 100, 'user', 'rating', '1', 1, 1
    from generate_series(1, ${rows}::int) as number`
})

const newest = { by: "created_at", order: "desc" } as const

export const evaluationCalls = Effect.gen(function*() {
  const [evalRuns, feedback] = [yield* EvalRunStore, yield* FeedbackStore]
  const first = { page: 1, limit: 1 }
  const one = evalRun()
  const { id } = one
  return {
    "evalRuns.create": evalRuns.create(one, jobOf(one), 1_000),
    "evalRuns.find": evalRuns.find(id),
    "evalRuns.list, of an agent": evalRuns.list({ statuses: ["COMPLETED"], agent_id: "agent-2" }, first, newest),
    "evalRuns.rename": evalRuns.rename(id, "name", 1),
    "evalRuns.begin": evalRuns.begin(id),
    "evalRuns.record": evalRuns.record(id, 0, {}),
    "evalRuns.results": evalRuns.results(id),
    "evalRuns.finish": evalRuns.finish(id, completed),
    "evalRuns.failAbandoned": evalRuns.failAbandoned({ kind: "evaluation", before: 9, error: "gone" }),
    "evalRuns.remove": evalRuns.remove([id]),
    "feedback.put": feedback.put(FeedbackStoreSuite.given(), Owner.anyone),
    "feedback.ofRun": feedback.ofRun(runId(), Owner.user(userId())),
    "feedback.list, of an owner": feedback.list({ owner: Owner.user(userId()), key: "rating" }, first),
    "feedback.list, of a component": feedback.list({
      owner: Owner.anyone,
      component: { kind: "agent", id: "a-2" }
    }, first),
    "feedback.removeOf": feedback.removeOf(userId())
  }
})
