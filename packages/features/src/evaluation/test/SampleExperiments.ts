// Experiments as the tests of their store need them.
import * as Job from "@svc-runtime/engine/jobs/Job"
import { job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import * as Dataset from "../Dataset.ts"
import * as Experiment from "../Experiment.ts"

export const experiment = (
  dataset_id: Dataset.Id,
  fields: Partial<Experiment.Stored> = {}
): Experiment.Stored => ({
  id: Experiment.Id.make(newId("experiment")),
  name: null,
  user_id: null,
  dataset_id,
  dataset_version: 2,
  component_version: null,
  scorers: [{ type: "exact" }, { type: "judge", criteria: "polite \u0000" }],
  concurrency: 2,
  status: "PENDING",
  items_done: 0,
  items_total: 3,
  error: null,
  summary: null,
  kind: "agent",
  component_id: "assistant",
  is_isolated: false,
  job_id: newId("job"),
  created_at: 1_000,
  updated_at: 1_000,
  ...fields
})

/** The job of an experiment. */
export const jobOfExperiment = ({ id, job_id }: Experiment.Stored): Job.NewJob =>
  job({ id: Job.Id.make(job_id), kind: "experiment", key: id })

export const experimentItem = (id: string, fields: Partial<Experiment.Item> = {}): Experiment.Item => ({
  item_id: Dataset.ItemId.make(id),
  input: `${id} ü?`,
  run_id: "run",
  session_id: "session",
  status: "passed",
  score: 1,
  scores: [{ scorer: "exact", score: 1, passed: true, reason: "\u0000 ü" }],
  duration: 0.5,
  tokens: 3,
  cost: null,
  unpriced_tokens: 3,
  judge_tokens: 0,
  judge_cost: null,
  output: "Paris",
  error: null,
  ...fields
})
