// The operations that rate components: evaluations, datasets, experiments, feedback.
import type { Operations } from "../Operation.ts"

export const evaluations: Operations = {
  get_eval_runs: { summary: "List the evaluations", description: "Returns evaluations, the newest first." },
  run_eval: {
    summary: "Evaluate a component",
    description:
      "Runs an agent or a team and rates the answers. It answers when all runs are rated, or with `background` at " +
      "once with 202.",
    body: { agent_id: "assistant", eval_type: "accuracy", input: "What is 17 times 23?", expected_output: "391" }
  },
  get_eval_run: { summary: "Get an evaluation", description: "Returns one evaluation with its ratings." },
  update_eval_run: {
    summary: "Rename an evaluation",
    description: "Gives the evaluation another name.",
    body: { name: "Numbers" }
  },
  cancel_eval_run: {
    summary: "Cancel an evaluation",
    description: "Ends an evaluation in the background, and cancels its runs."
  },
  delete_eval_runs: {
    summary: "Delete evaluations",
    description: "Removes the evaluations. Their runs stay.",
    body: { eval_run_ids: ["eval-1"] }
  },
  give_feedback: {
    summary: "Score a run",
    description: "Stores what a person thinks of a run. A second score under the same key replaces the first one.",
    body: { score: true, comment: "It answered the question" }
  },
  get_run_feedback: { summary: "List the scores of a run", description: "Returns all scores that one run has." },
  list_feedback: { summary: "List the scores", description: "Returns scores of all runs, the newest first." },
  delete_feedback: { summary: "Delete a score", description: "Removes one score." },

  list_datasets: { summary: "List the datasets", description: "Returns the datasets, without their items." },
  create_dataset: {
    summary: "Create a dataset",
    description: "Stores a dataset and the items of its first version.",
    body: { name: "Numbers", items: [{ input: "What is 17 times 23?", expected_output: "391" }] }
  },
  get_dataset: { summary: "Get a dataset", description: "Returns one dataset, without its items." },
  update_dataset: {
    summary: "Change a dataset",
    description: "Changes the name or the description. It makes no version.",
    body: { name: "Numbers" }
  },
  delete_dataset: {
    summary: "Delete a dataset",
    description: "Removes the dataset with all of its versions and its experiments."
  },
  list_dataset_items: {
    summary: "List the items of a dataset",
    description: "Returns the items of one version, the newest one when none is named."
  },
  change_dataset_items: {
    summary: "Change the items of a dataset",
    description: "Adds, replaces and removes items, which makes a new version.",
    body: { put: [{ input: "What is 2 times 3?", expected_output: "6" }] }
  },
  add_dataset_item_from_trace: {
    summary: "Make an item from a trace",
    description: "Adds the input and the output of a traced run to the dataset.",
    body: { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" }
  },
  import_dataset_items: {
    summary: "Import items",
    description: "Adds or replaces items, one as JSON on each line, which makes a new version.",
    body: "{\"input\": \"What is 2 times 3?\", \"expected_output\": \"6\"}\n"
  },
  export_dataset_items: { summary: "Export items", description: "Returns the items of one version as JSON lines." },

  list_experiments: { summary: "List the experiments", description: "Returns experiments, the newest first." },
  create_experiment: {
    summary: "Start an experiment",
    description: "Runs a component with each item of a dataset and rates the answers, in the background.",
    body: { dataset_id: "dataset-1", agent_id: "assistant", scorers: [{ type: "contains", texts: ["391"] }] }
  },
  compare_experiments: {
    summary: "Compare two experiments",
    description: "Returns the items of two experiments side by side, and counts what became better or worse."
  },
  get_experiment: {
    summary: "Get an experiment",
    description: "Returns the experiment: how far it is, and its figures when it is completed."
  },
  delete_experiment: {
    summary: "Delete an experiment",
    description: "Removes the experiment and its results. If it is executing, it is cancelled first."
  },
  cancel_experiment: {
    summary: "Cancel an experiment",
    description: "Ends the experiment and cancels its runs. Results that exist stay."
  },
  list_experiment_items: {
    summary: "List the results of an experiment",
    description: "Returns the result of each item that has one."
  }
}
