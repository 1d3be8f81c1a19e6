// The end of a run: the output that is returned and stored, and the last event.
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { RunResult } from "@svc-runtime/engine/run/Runnable"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelSettings from "@svc-runtime/models/ModelSettings"
import type { AgentCommand } from "./AgentCommand.ts"
import type { ContextFit } from "./context/ContextFit.ts"
import { type Content, textContent } from "./model/StructuredOutput.ts"
import * as Requirements from "./Requirements.ts"
import type { RunFailure } from "./RunFailure.ts"
import type { RunPart } from "./RunPart.ts"
import * as RunRecorder from "./RunRecorder.ts"
import type { Closed } from "./SessionState.ts"

export type Outcome =
  | { readonly _tag: "Answered"; readonly content: Content }
  | { readonly _tag: "Failed"; readonly failure: RunFailure }
  | { readonly _tag: "Cancelled"; readonly reason: string }
  | { readonly _tag: "Paused"; readonly waiting: ReadonlyArray<ToolExecution.ToolExecution> }

export interface Finished {
  readonly command: AgentCommand
  readonly context: RunContext
  readonly model: Model
  readonly recorder: RunRecorder.RunRecorder
  readonly fit: ContextFit
  readonly parts: ReadonlyArray<RunPart>
  readonly state: Closed
}

/** A cancelled run has its partial answer, or the reason why it has none. */
const contentOf = (outcome: Outcome, { partial }: RunRecorder.RunRecorder): Content => {
  switch (outcome._tag) {
    case "Answered":
      return outcome.content
    case "Failed":
      return textContent(outcome.failure.message)
    case "Cancelled":
      return textContent(partial === "" ? outcome.reason : partial)
    case "Paused":
      return textContent(Requirements.sentenceOf(outcome.waiting))
  }
}

const statuses = { Answered: "COMPLETED", Failed: "ERROR", Cancelled: "CANCELLED", Paused: "PAUSED" } as const

const referencesOf = (parts: ReadonlyArray<RunPart>, recorder: RunRecorder.RunRecorder) => {
  const references = parts.flatMap((part) => part.references?.(recorder) ?? [])
  return references.length === 0 ? {} : { references }
}

/** Without headers and options of providers, which may have secrets. */
const settingsOf = ({ agent: { modelSettings } }: AgentCommand) => {
  const settings = modelSettings === undefined ? {} : ModelSettings.toWire(modelSettings)
  return Object.keys(settings).length === 0 ? {} : { model_settings: settings }
}

const outputOf = ({ command, context, fit, model, parts, recorder, state }: Finished, outcome: Outcome): Run.Output => {
  const { content, contentType } = contentOf(outcome, recorder)
  return {
    run_id: command.run_id,
    agent_id: command.agent.id,
    agent_name: command.agent.name,
    session_id: command.session_id,
    ...(command.user_id === undefined ? {} : { user_id: command.user_id }),
    content,
    content_type: contentType,
    model: model.id,
    model_provider: model.provider,
    ...settingsOf(command),
    session_state: state.state,
    created_at: recorder.createdAt,
    status: statuses[outcome._tag],
    metrics: RunRecorder.metricsOf(recorder),
    messages: recorder.messages,
    ...(Object.keys(context.metadata).length === 0 ? {} : { metadata: context.metadata }),
    ...(recorder.tools.length === 0 ? {} : { tools: recorder.tools }),
    // requirements without a decision are removed
    ...(recorder.requirements.length === 0 || outcome._tag === "Cancelled"
      ? {}
      : { requirements: Requirements.withTools(recorder.requirements, recorder.tools) }),
    ...referencesOf(parts, recorder),
    ...RunRecorder.optionalFieldsOf(recorder),
    ...fit.trimmed(),
    ...recorder.origin,
    input: command.input
  }
}

const completed = (output: Run.Output, { recorder, state }: Finished): RunEvent.Payload => ({
  event: "RunCompleted",
  ...(output.content === undefined ? {} : { content: output.content }),
  content_type: output.content_type,
  session_state: state.state,
  metrics: output.metrics ?? {},
  ...(output.references === undefined ? {} : { references: output.references }),
  ...RunRecorder.optionalFieldsOf(recorder),
  ...(output.metadata === undefined ? {} : { metadata: output.metadata })
})

const failed = ({ error_id, error_type, message }: RunFailure): RunEvent.Payload => ({
  event: "RunError",
  content: message,
  error_type,
  ...(error_id === undefined ? {} : { error_id })
})

/** The last event of a cancelled run; no completion event follows. */
const cancelled = (reason: string, { content }: Run.Output): RunEvent.Payload => ({
  event: "RunCancelled",
  reason,
  content: typeof content === "string" ? content : reason
})

const paused = (
  waiting: ReadonlyArray<ToolExecution.ToolExecution>,
  { recorder }: Finished
): RunEvent.Payload => ({
  event: "RunPaused",
  content: Requirements.sentenceOf(waiting),
  tools: recorder.tools,
  requirements: recorder.requirements
})

const endEventOf = (outcome: Outcome, output: Run.Output, finished: Finished): RunEvent.Payload => {
  switch (outcome._tag) {
    case "Answered":
      return completed(output, finished)
    case "Failed":
      return failed(outcome.failure)
    case "Cancelled":
      return cancelled(outcome.reason, output)
    case "Paused":
      return paused(outcome.waiting, finished)
  }
}

export const make = (finished: Finished, outcome: Outcome): RunResult<Run.Output> => {
  const output = outputOf(finished, outcome)
  return {
    output,
    endEvent: endEventOf(outcome, output, finished),
    stateChanges: finished.state.changes
  }
}
