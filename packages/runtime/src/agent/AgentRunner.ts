// One run of an agent from its input to its output. It never fails: whatever goes wrong becomes the run's own end, with
// a text for the caller; causes that a caller must not see go to the log under the run's id.
import type { Json, Message, Run, RunEvent } from "@svc/domain"
import { Cause, Effect } from "effect"
import type { AiError } from "effect/ai"
import type { Model } from "../model/Model.ts"
import * as ModelError from "../model/ModelError.ts"
import type { Begun } from "../run/RunStore.ts"
import * as AgentLoop from "./AgentLoop.ts"
import * as Hook from "./Hook.ts"
import * as Reasoning from "./Reasoning.ts"
import type { RunCommand } from "./RunCommand.ts"
import type { RunContext } from "./RunContext.ts"
import * as RunRecorder from "./RunRecorder.ts"
import { type Content, contentOf, named, type OutputSchema, textContent } from "./StructuredOutput.ts"
import * as SystemMessage from "./SystemMessage.ts"

export interface Models {
  readonly model: Model
  /** Undefined: the agent thinks with its own model. */
  readonly reasoning: Model | undefined
}

export interface Ended {
  readonly output: Run.Output
  /** To be shown when the output is stored, and not before. */
  readonly last: RunEvent.Payload
  /** Undefined when the run left it as it found it. */
  readonly sessionState: Json.Object | undefined
}

interface Setting {
  readonly recorder: RunRecorder.RunRecorder
  readonly command: RunCommand
  readonly models: Models
  readonly context: RunContext
  readonly history: ReadonlyArray<Message.Message>
  readonly outputSchema: OutputSchema | undefined
}

const hooks = Effect.fnUntraced(function*(
  { command, context, recorder }: Setting,
  phase: "pre" | "post",
  content: Json.Value | undefined
) {
  const { agent, input } = command
  for (const hook of phase === "pre" ? agent.preHooks : agent.postHooks) {
    recorder.emit(
      phase === "pre"
        ? { event: "PreHookStarted", pre_hook_name: hook.name, run_input: input }
        : { event: "PostHookStarted", post_hook_name: hook.name }
    )
    yield* Hook.call(hook, { input, content, context })
    recorder.emit(
      phase === "pre"
        ? { event: "PreHookCompleted", pre_hook_name: hook.name, run_input: input }
        : { event: "PostHookCompleted", post_hook_name: hook.name }
    )
  }
})

const userText = ({ command }: Setting): string => {
  const { input_content } = command.input
  const text = RunRecorder.toText(input_content)
  const hasDependencies = command.addDependenciesToContext && Object.keys(command.dependencies).length > 0
  return hasDependencies
    ? `${text}\n\n<additional_context>\n${JSON.stringify(command.dependencies)}\n</additional_context>`
    : text
}

const openingMessages = Effect.fnUntraced(function*(setting: Setting) {
  const { command, context, outputSchema, recorder } = setting
  const { agent, input } = command
  const system = yield* SystemMessage.make(agent, context, {
    sessionState: command.addSessionStateToContext ? context.sessionState : undefined,
    outputSchema: agent.useJsonMode ? outputSchema?.shape.jsonSchema : undefined
  })
  if (system !== undefined) recorder.messages.push(recorder.message(agent.systemMessageRole, { content: system }))
  recorder.messages.push(recorder.message("user", {
    content: userText(setting),
    ...(input.images === undefined ? {} : { images: input.images }),
    ...(input.audios === undefined ? {} : { audio: input.audios }),
    ...(input.videos === undefined ? {} : { videos: input.videos }),
    ...(input.files === undefined ? {} : { files: input.files })
  }))
})

const answer = Effect.fnUntraced(function*(setting: Setting) {
  const { command, context, history, models, outputSchema, recorder } = setting
  yield* hooks(setting, "pre", undefined)
  yield* openingMessages(setting)
  const thoughts = command.agent.reasoning
    ? yield* Reasoning.think(recorder, command, models.reasoning ?? models.model, history)
    : []
  const text = yield* AgentLoop.run({
    recorder,
    command,
    model: models.model,
    context,
    history,
    thoughts,
    outputSchema
  })
  const content = yield* contentOf(outputSchema, text)
  if (outputSchema !== undefined) {
    recorder.emit({
      event: "RunContent",
      content: content.content,
      workflow_agent: false,
      content_type: content.contentType,
      reasoning_content: ""
    })
  }
  recorder.emit({ event: "RunContentCompleted" })
  yield* hooks(setting, "post", content.content)
  return content
})

interface Failure {
  readonly message: string
  readonly error_type: string
  readonly error_id?: string
}

type Expected = AiError.AiError | Hook.CheckFailed | Hook.HookBroken | AgentLoop.LoopExhausted

const describe = (error: Expected, recorder: RunRecorder.RunRecorder): Failure => {
  switch (error._tag) {
    case "AiError":
      return ModelError.describe(error)
    case "CheckFailed": {
      const isInput = !recorder.messages.some((message) => message.role === "assistant")
      return {
        message: error.message,
        error_type: isInput ? "input_check_error" : "output_check_error",
        error_id: error.reason
      }
    }
    case "HookBroken":
      return { message: `The hook '${error.name}' failed`, error_type: "agent_run_error" }
    case "LoopExhausted":
      return { message: error.message, error_type: "agent_run_error" }
  }
}

const unexpected: Failure = {
  message: "The agent failed unexpectedly. The log of the service says more.",
  error_type: "agent_run_error"
}

const failureOf = (cause: Cause.Cause<Expected>, setting: Setting): Effect.Effect<Failure> => {
  const error = Cause.findErrorOption(cause)
  const isHidden = error._tag === "None" || error.value._tag === "HookBroken"
  const failure = error._tag === "Some" ? describe(error.value, setting.recorder) : unexpected
  const log = isHidden
    ? Effect.logError("A run failed", cause)
    : Effect.logWarning("A run failed", failure.message)
  return Effect.as(Effect.annotateLogs(log, { run_id: setting.command.run_id, agent_id: setting.command.agent.id }), failure)
}

const outputOf = (setting: Setting, content: Content, status: Run.Status): Run.Output => {
  const { command, context, models, recorder } = setting
  return {
    run_id: command.run_id,
    agent_id: command.agent.id,
    agent_name: command.agent.name,
    session_id: command.session_id,
    ...(command.user_id === undefined ? {} : { user_id: command.user_id }),
    content: content.content,
    content_type: content.contentType,
    model: models.model.id,
    model_provider: models.model.provider,
    session_state: context.sessionState,
    created_at: recorder.createdAt,
    status,
    metrics: RunRecorder.metricsOf(recorder),
    messages: recorder.messages,
    ...(command.metadata === undefined ? {} : { metadata: command.metadata }),
    ...(recorder.tools.length === 0 ? {} : { tools: recorder.tools }),
    ...RunRecorder.extrasOf(recorder),
    input: command.input
  }
}

const completed = (output: Run.Output, setting: Setting): RunEvent.Payload => ({
  event: "RunCompleted",
  ...(output.content === undefined ? {} : { content: output.content }),
  content_type: output.content_type,
  session_state: setting.context.sessionState,
  metrics: output.metrics ?? {},
  ...RunRecorder.extrasOf(setting.recorder),
  ...(output.metadata === undefined ? {} : { metadata: output.metadata })
})

const settingOf = Effect.fnUntraced(function*(
  command: RunCommand,
  models: Models,
  begun: Begun,
  emit: RunRecorder.Emit
) {
  const { agent } = command
  const setting: Setting = {
    recorder: yield* RunRecorder.make(emit),
    command,
    models,
    context: {
      agentId: agent.id,
      runId: command.run_id,
      sessionId: command.session_id,
      userId: command.user_id,
      sessionState: structuredClone({ ...begun.session_state, ...command.session_state }),
      dependencies: command.dependencies,
      metadata: command.metadata ?? {}
    },
    history: begun.history,
    outputSchema: command.outputSchema ?? (agent.outputSchema === undefined ? undefined : named(agent.outputSchema))
  }
  return setting
})

export const run = Effect.fnUntraced(function*(
  command: RunCommand,
  models: Models,
  begun: Begun,
  emit: RunRecorder.Emit
) {
  const setting = yield* settingOf(command, models, begun, emit)
  const before = JSON.stringify(begun.session_state)
  emit({ event: "RunStarted", model: models.model.id, model_provider: models.model.provider })
  const exit = yield* Effect.exit(answer(setting))
  if (exit._tag === "Failure" && Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
  const failure = exit._tag === "Failure" ? yield* failureOf(exit.cause, setting) : undefined
  const output = exit._tag === "Success"
    ? outputOf(setting, exit.value, "COMPLETED")
    : outputOf(setting, textContent(failure?.message ?? ""), "ERROR")
  const last: RunEvent.Payload = failure === undefined ? completed(output, setting) : {
    event: "RunError",
    content: failure.message,
    error_type: failure.error_type,
    ...(failure.error_id === undefined ? {} : { error_id: failure.error_id })
  }
  const after = JSON.stringify(setting.context.sessionState)
  const ended: Ended = {
    output,
    last,
    sessionState: before === after ? undefined : setting.context.sessionState
  }
  return ended
})
