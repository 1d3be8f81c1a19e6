// Fields of what a paused run waits for: tool calls, steps of workflows, approvals.
import type { Fields } from "@svc-runtime/api/documentation/Field"

export const pauses: Fields = {
  "Requirement.id": ["Id of the requirement", "req-1"],
  "Requirement.created_at": ["Time at which the run paused", "2026-01-01T12:00:00Z"],
  tool_execution: "Tool call that waits",
  confirmation: "Decision: true executes the call, false rejects it",
  confirmed: "Decision: true executes it, false rejects it, null is no decision yet",
  confirmation_note: [
    "A note of the person: why the call was rejected, or what the model should know beside its result. The model sees it",
    "The amount is too high"
  ],
  confirmation_message: ["Question for the person who decides", "Publish the article?"],
  external_execution_result: ["Result of a call that the client executed", "42"],
  user_input_schema: "Fields that a person has to fill",
  user_input_json_schema: "JSON Schema of the values, with more than the fields can say",
  user_feedback_schema: "Questions that a person has to answer",
  asked_before: ["How many other questions of the same call came before. Left out: none", 1],
  member_agent_id: ["Id of the member whose call waits", "writer"],
  member_agent_name: ["Name of the member whose call waits", "Writer"],
  member_run_id: "Id of the member's run",

  tool: "Tool call",
  tool_call_id: ["Id of the tool call, made by the model", "call_1"],
  tool_name: ["Name of the tool", "refund"],
  tool_names: "Names of the tools that wait",
  tool_args: "Arguments of the tool call. A person may change them with the decision",
  tool_call_error: "Whether the call failed",
  "ToolExecution.result": ["Result of the call, as the model sees it", "It is sunny in Paris."],
  "ToolExecution.metrics": "Start, end and duration of the call",
  "ToolExecution.created_at": "Time of the call",
  "ToolMetrics.start_time": ["Start, in seconds since 1970 with a fraction", 1_767_225_600.25],
  "ToolMetrics.end_time": ["End, in seconds since 1970 with a fraction", 1_767_225_600.75],
  child_run_id: "Id of the run that the call started",
  requires_confirmation: "Whether a person has to confirm it",
  requires_user_input: "Whether a person has to fill fields",
  answered: "Whether the person has filled the fields",
  external_execution_required: "Whether the client has to execute the call and send its result",
  external_execution_silent: "Whether the pause for the client's result is not shown as an answer",
  approval_type: "Kind of the approval: `required` pauses the run, `audit` only records the decision",
  approval_id: ["Id of the approval that the run waits for", "approval-1"],
  approval_status: "Decision of the approval of the call. Send none: the run follows it when the rest is decided",
  outcome_unknown:
    "Whether the service stopped during the call, so that a person decides: repeat, reject, or give a result",
  "WorkflowRunOutput.wake_at": [
    "Time at which the paused run continues, also without a decision about what it shows",
    1766595600
  ],
  wake_at: ["Time that the call waits for: the service answers it then", 1766595600],
  "ToolExecution.tool_source": [
    "Name of what offers the tool, such as an MCP server: no other tool of its name executes the call",
    "tickets"
  ],
  "ToolExecution.client_tool": "Whether the client of the run offers the tool, and executes it",
  "ToolExecution.asked":
    "The call has begun and asks for the values of `user_input_schema`, which are no arguments. Send them as for user input",
  "ToolExecution.before_result": [
    "What the model reads before the result: what persons have decided about a call that has begun and has no result yet",
    "(A person has added a note to this call: \"As agreed\".)"
  ],
  "ToolQuestion.message": ["What the person is asked", "The MCP server travel asks: Which city?"],
  "ToolQuestion.state": "What the tool gets back with the values",

  "StepRequirement.id": [
    "Id of this question. Send it with the decision: a step that asks again has another one",
    "0/$0?0"
  ],
  resolved:
    "Whether the paused run waits for no decision on it any more. Several steps can wait. Left out if it is not paused",
  "ErrorRequirement.id": [
    "Id of this failure. Send it with the decision: a step that fails again has another one",
    "0!0"
  ],
  step_requirements: "Steps of the workflow that people are asked about. The waiting ones have `resolved: false`",
  error_requirements: "Failed steps that wait for a decision",
  step_type: "Kind of the step",
  user_input: "Values that the person entered, by the names of the fields",
  user_input_message: ["Question for the person who fills the fields", "Which audience?"],
  requires_route_selection: "Whether a person has to choose the steps that follow",
  available_choices: "Names of the steps that can be chosen",
  allow_multiple_selections: "Whether more than one step can be chosen",
  selected_choices: "Names of the steps that the person chose",
  requires_output_review: "Whether a person has to review the result of the step",
  output_review_message: ["Question for the person who reviews the result", "Is the draft good enough?"],
  is_post_execution: "Whether the step has been executed, so that the decision is about its result",
  on_reject: "What happens when the person rejects",
  rejection_feedback: ["What the next attempt should do better", "Make it shorter"],
  retry_count: ["Number of times that the step was repeated", 0],
  max_retries: ["Largest number of repetitions", 3],
  timeout_at: ["Time until which a decision is accepted", "2026-01-02T12:00:00Z"],
  on_timeout: "What is decided after that time, when the run is continued. Another decision is 409",
  step_input:
    "What goes into a step that has not started: workflow input and previous content, up to 16,384 characters",
  step_output: "Result of the step",
  edited_output: "Result of the step as the person changed it",
  requires_executor_input: "Whether the agent or team of the step waits for decisions",
  executor_requirements: "Tool calls of the step's agent or team that wait for a decision",
  field_type: "Type of the value",
  value: "Value that was entered. Null before",
  required: "Whether the field has to be filled",
  allowed_values: "Values that can be entered. Default: any",
  "StepInputField.name": ["Name of the field", "audience"],
  error_message: ["Why the step failed", "The service did not respond"],
  decision: "Whether the failed step is repeated or skipped. Null is no decision yet",
  pause_kind: "Whether a step waits, or the agent or team of a step",
  paused_step_name: ["Name of the step that waits", "review"],
  paused_step_index: "Index of the step that waits; a list of indexes for a nested step",

  "Approval.id": ["Id of the approval", "approval-1"],
  "Approval.status": "State of the approval",
  "ApprovalResolve.status": "Decision of the person",
  source_type: "Kind of the component that asked for the approval",
  "Approval.source_name": ["Name of the component that asked for the approval", "Support"],
  pause_type: "What the run waits for",
  expires_at: "Time after which it is not valid any more. Null: it does not expire",
  "Approval.context": "What a person should know to decide",
  resolution_data: "What was sent with the decision: changed arguments, entered values, or a result",
  resolved_by: ["User who decided", "ann"],
  resolved_at: "Time of the decision. Null before",
  run_status: "State of the run that waits",
  schedule_id: ["Id of the schedule", "schedule-1"],
  schedule_run_id: "Id of the schedule's run that waits",
  "ApprovalCount.count": ["Number of approvals", 2]
}
