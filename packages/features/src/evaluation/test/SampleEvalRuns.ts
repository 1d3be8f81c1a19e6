// Evaluation runs as the tests of their store need them.
import * as Job from "@svc-runtime/engine/jobs/Job"
import { job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import * as EvalRun from "../EvalRun.ts"

export const request: EvalRun.Request = {
  kind: "agent",
  component_id: "agent",
  user_id: null,
  is_isolated: false,
  model: null,
  input: "\u0000 ü",
  additional_guidelines: null,
  additional_context: null,
  num_iterations: 2,
  expected_output: "x",
  criteria: null,
  scoring_strategy: "binary",
  threshold: 7,
  warmup_runs: 0,
  expected_tool_calls: null,
  allow_additional_tool_calls: false,
  expected_tool_call_arguments: null
}

export const evalRun = (fields: Partial<EvalRun.Stored> = {}): EvalRun.Stored => ({
  id: EvalRun.Id.make(newId("eval")),
  agent_id: "agent",
  team_id: null,
  workflow_id: null,
  model_id: "model",
  model_provider: "Provider",
  name: null,
  evaluated_component_name: null,
  eval_type: "accuracy",
  eval_data: {},
  eval_input: null,
  status: "PENDING",
  runs_done: 0,
  runs_total: 2,
  error: null,
  job_id: newId("job"),
  request,
  created_at: 1_000,
  updated_at: 1_000,
  ...fields
})

/** The job of an evaluation. */
export const jobOf = ({ id, job_id }: EvalRun.Stored): Job.NewJob =>
  job({ id: Job.Id.make(job_id), kind: "evaluation", key: id })

export const completed = {
  status: "COMPLETED",
  error: null,
  eval_data: { results: [1] },
  eval_input: { input: "\u0000 ü" }
} as const
