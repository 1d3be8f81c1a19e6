// The texts of fields whose name alone does not say what they are, such as `status`. Each text names its schemas, so
// that a schema which adds such a field needs a text of its own.
import type { Field, Fields } from "@svc-runtime/api/documentation/Field"

type Texts = ReadonlyArray<readonly [schemas: string, field: Field]>

/** Names of schemas have a space between them. */
const texts: Readonly<Record<string, Texts>> = {
  id: [
    ["AgentResponse AgentSummaryResponse", ["Id of the agent", "assistant"]],
    ["TeamResponse TeamSummaryResponse TeamFactoryResponse", ["Id of the team, or of its factory", "desk"]],
    ["WorkflowResponse WorkflowSummaryResponse", ["Id of the workflow", "brief"]],
    ["ComponentDefinition DefinedComponent", ["Id of the component", "support"]],
    ["AgentSummaryResponse.model TeamSummaryResponse.model", ["Name of the model at its provider", "gpt-5"]],
    ["DatasetItemFromTrace", ["Id of the new item. Default: one that the service makes", "item-1"]],
    ["RegistryContentResponse", ["Id by which a config names the entry", "weather"]]
  ],
  name: [
    ["AgentResponse AgentSummaryResponse", ["Display name of the agent", "Assistant"]],
    ["TeamResponse TeamSummaryResponse TeamFactoryResponse", ["Display name of the team, or of its factory", "Desk"]],
    ["WorkflowResponse WorkflowSummaryResponse", ["Display name of the workflow", "Article"]],
    [
      "ComponentCreate ComponentDefinition ComponentDefinitionPatch ComponentResponse ComponentUpdate DefinedComponent",
      ["Display name of the component", "Support"]
    ],
    ["AgentToolSource", ["Name of the source of tools", "tickets"]],
    ["Dataset ChangedDataset DatasetInput DatasetPatch", ["Name of the dataset", "arithmetic"]],
    ["ChunkerSchema", ["Display name of the chunker", "Recursive"]],
    ["ReaderSchema", ["Display name of the reader", "PDF"]],
    ["VectorDbSchema", ["Display name of the vector store", "Chunks"]],
    ["ConfigResponse InfoResponse", ["Display name of the service", "Svc"]],
    ["ContentResponseSchema ContentPatchForm VectorSearchResult", ["Name of the content", "Handbook"]],
    ["ContentSource", ["Display name of the source", "Reports"]],
    ["ContentSourceFolder", ["Name of the folder", "2026"]],
    ["KnowledgeConfig", ["Name of the knowledge instance", "Documents"]],
    ["File", ["Name of the file", "report.pdf"]],
    ["ScheduleCreate ScheduleState ScheduleUpdate", ["Name of the schedule", "Morning report"]],
    ["ServiceAccount ServiceAccountCreated", ["Name of the service account", "nightly"]]
  ],
  status: [
    ["AgentToolSource", "State of the source: `unused`, `available` or `failed`"],
    ["ApprovalStatus", "State of the approval"],
    ["EvalRun EvalRunAccepted", "State of the evaluation"],
    ["Experiment", "State of the experiment"],
    ["ExperimentItem", "State of the item in the experiment"],
    ["ExperimentDifference", "State of the item in this experiment"],
    [
      "RunItem RunOutput RunRecord PartialRunRecord TeamRunOutput TeamRunRecord PartialTeamRunRecord " +
      "WorkflowRunOutput WorkflowRunRecord PartialWorkflowRunRecord WorkflowPaused StreamControl",
      "State of the run"
    ],
    ["TeamTask TeamTaskCreated TeamTaskUpdated", "State of the task"],
    ["TraceNode", "`ERROR` if the span failed, otherwise `OK`"]
  ],
  version: [
    ["ChangedDataset", ["Number of the newest version of the dataset", 3]],
    ["DatasetChange", [
      "Number of the newest version that the caller knows. The change is refused if there is a newer one",
      3
    ]],
    ["DatasetItem", ["Number of the first version of the dataset that has the item", 2]],
    ["ExperimentInput", ["Number of the version of the dataset. Default: the newest one", 3]],
    ["ComponentConfigResponse DefinedComponent", ["Number of the version of the component's config, from 1", 2]]
  ],
  error: [
    ["EvalRun", "Why the evaluation failed. Null or left out if it did not"],
    ["Experiment", "Why the experiment failed. Null or left out if it did not"],
    ["ExperimentItem", "Why the item has no result. Null or left out if it has one"],
    ["InternalErrorResponse", "Why the evaluation failed"],
    ["MetricsRefreshStatus", "Why the last refresh failed. Null or left out if it did not"],
    ["ScheduleRun", "Why the schedule's run failed. Null or left out if it did not"],
    ["StepError", "Why the step failed"],
    ["StepOutput", "Why the step failed. Null or left out if it did not"],
    ["StreamControl", "Why the stream cannot continue"],
    ["TeamToolCallError ToolCallError", "Why the call failed"],
    ["TraceDetail", "Why the trace failed. Null or left out if it did not"],
    ["TraceNode", "Why the span failed. Null or left out if it did not"],
    ["WebhookDelivery", "Why the last attempt failed. Null or left out if it did not"],
    ["WorkflowError", "Why the workflow failed"]
  ],
  message: [
    ["MetricsRefreshStarted", "Sentence for people about the refresh"],
    [
      "MigrationResponse MigrationsResponse PartlyMigratedResponse",
      "Sentence for people about the migrations that were applied"
    ],
    ["StreamControl", "Sentence for people about the stream"]
  ],
  description: [
    [
      "AgentResponse AgentSummaryResponse AgentSystemMessage",
      ["Purpose of the agent, in a sentence", "Answers questions about orders"]
    ],
    ["TeamResponse TeamSummaryResponse TeamFactoryResponse", ["Purpose of the team, in a sentence", "Writes articles"]],
    ["WorkflowResponse WorkflowSummaryResponse", ["Purpose of the workflow, in a sentence", "Writes an article"]],
    [
      "ComponentCreate ComponentDefinition ComponentDefinitionPatch ComponentResponse ComponentUpdate DefinedComponent",
      ["Purpose of the component, in a sentence", "Answers questions about orders"]
    ],
    ["Dataset ChangedDataset DatasetInput DatasetPatch", [
      "Purpose of the dataset, in a sentence",
      "Products of numbers"
    ]],
    ["ChunkerSchema", "How the chunker divides texts"],
    ["ReaderSchema", "Which contents the reader reads"],
    ["VectorDbSchema", "How the vector store searches"],
    ["ConfigResponse ManifestEntry", "Purpose of the service or of the component, in a sentence"],
    ["ContentForm ContentPatchForm RemoteContentForm ContentResponseSchema", "Subject of the content, in a sentence"],
    ["KnowledgeConfig", "Subject of the knowledge instance, in a sentence"],
    ["RegistryContentResponse", "Purpose of the entry, in a sentence"],
    ["Schedule ScheduleCreate ScheduleUpdate", "Purpose of the schedule, in a sentence"],
    ["StepInputField", "Text that asks a person for the value"],
    ["TeamTask TeamTaskCreated", "Task for the member, in sentences"],
    ["Webhook WebhookCreate WebhookCreated WebhookUpdate", "Purpose of the webhook, in a sentence"],
    ["WorkflowStep", "Purpose of the step, in a sentence"]
  ]
}

/** The name has no text without its schema. */
export const isAmbiguous = (name: string): boolean => Object.hasOwn(texts, name)

export const commonNames: Fields = Object.fromEntries(
  Object.entries(texts).flatMap(([name, ofSchemas]) =>
    ofSchemas.flatMap(([schemas, field]) => schemas.split(" ").map((schema) => [`${schema}.${name}`, field]))
  )
)
