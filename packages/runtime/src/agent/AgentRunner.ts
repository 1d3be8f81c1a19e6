// One run of an agent from its input to its output. It never fails: whatever goes wrong, and even being interrupted,
// becomes the run's own end, with a text for the caller.
import type { Json, Message } from "@svc/domain"
import { Effect } from "effect"
import type { Model } from "../model/Model.ts"
import type { Cancellation } from "../run/Cancellation.ts"
import type { Begun } from "../run/RunStore.ts"
import * as AuthorCode from "../tool/AuthorCode.ts"
import * as AgentLoop from "./AgentLoop.ts"
import * as Hook from "./Hook.ts"
import * as Reasoning from "./Reasoning.ts"
import type { RunCommand } from "./RunCommand.ts"
import type { RunContext } from "./RunContext.ts"
import * as RunEnd from "./RunEnd.ts"
import * as RunFailure from "./RunFailure.ts"
import * as RunRecorder from "./RunRecorder.ts"
import * as SessionState from "./SessionState.ts"
import { contentOf, named, type OutputSchema } from "./StructuredOutput.ts"
import * as SystemMessage from "./SystemMessage.ts"
import * as Text from "./Text.ts"

export interface Models {
  readonly model: Model
  /** Undefined: the agent thinks with its own model. */
  readonly reasoning: Model | undefined
}

export interface Start {
  readonly command: RunCommand
  readonly models: Models
  /** What the store had when it accepted the run, and the moment at which it did, in epoch seconds. */
  readonly begun: Begun
  readonly createdAt: number
  readonly emit: RunRecorder.Emit
  readonly cancellation: Cancellation
}

interface Setting {
  readonly cancellation: Cancellation
  readonly recorder: RunRecorder.RunRecorder
  readonly command: RunCommand
  readonly models: Models
  readonly context: RunContext
  readonly history: ReadonlyArray<Message.Message>
  readonly outputSchema: OutputSchema | undefined
}

const settingOf = Effect.fnUntraced(function*({ begun, cancellation, command, createdAt, emit, models }: Start) {
  const { agent } = command
  const setting: Setting = {
    cancellation,
    recorder: yield* RunRecorder.make(emit, createdAt),
    command,
    models,
    context: {
      agentId: agent.id,
      runId: command.run_id,
      sessionId: command.session_id,
      userId: command.user_id,
      sessionState: SessionState.open(begun.session_state, command.session_state),
      dependencies: command.dependencies,
      metadata: { ...agent.metadata, ...command.metadata }
    },
    history: begun.history,
    outputSchema: command.outputSchema ?? (agent.outputSchema === undefined ? undefined : named(agent.outputSchema))
  }
  return setting
})

const preHooks = Effect.fnUntraced(function*({ command: { agent, input }, context, recorder }: Setting) {
  for (const hook of agent.preHooks) {
    recorder.emit({ event: "PreHookStarted", pre_hook_name: hook.name, run_input: input })
    yield* Hook.call(hook, { input, content: undefined, context })
    recorder.emit({ event: "PreHookCompleted", pre_hook_name: hook.name, run_input: input })
  }
})

const postHooks = Effect.fnUntraced(function*(
  { command: { agent, input }, context, recorder }: Setting,
  content: Json.Value
) {
  for (const hook of agent.postHooks) {
    recorder.emit({ event: "PostHookStarted", post_hook_name: hook.name })
    yield* Hook.call(hook, { input, content, context })
    recorder.emit({ event: "PostHookCompleted", post_hook_name: hook.name })
  }
})

const userText = ({ command }: Setting): string => {
  const text = Text.ofJson(command.input.input_content)
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
  yield* preHooks(setting)
  yield* openingMessages(setting)
  const thoughts = command.agent.reasoning
    ? yield* Reasoning.think({ recorder, command, model: models.reasoning ?? models.model, history })
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
    RunRecorder.show(recorder, { content: content.content, content_type: content.contentType })
  }
  recorder.emit({ event: "RunContentCompleted" })
  yield* postHooks(setting, content.content)
  return content
})

/** What came of it: the answer, or why there is none. */
const outcomeOf = Effect.fnUntraced(function*(setting: Setting): Effect.fn.Return<RunEnd.Outcome> {
  const { cancellation } = setting
  if (cancellation.reason !== undefined) return { _tag: "Cancelled", reason: cancellation.reason }
  const exit = yield* Effect.exit(Effect.interruptible(AuthorCode.settled(answer(setting))))
  if (exit._tag === "Failure") {
    const { reason } = cancellation
    if (reason !== undefined) {
      RunRecorder.cutOff(setting.recorder)
      return { _tag: "Cancelled", reason }
    }
    yield* Effect.logWarning("A run was stopped with the service")
    return { _tag: "Failed", failure: RunFailure.stopped }
  }
  const answered = exit.value
  return answered._tag === "Success"
    ? { _tag: "Answered", content: answered.value }
    : { _tag: "Failed", failure: yield* RunFailure.fromCause(answered.cause, setting.recorder) }
})

const execute = Effect.fnUntraced(function*(start: Start) {
  const setting = yield* settingOf(start)
  const { command, context, models: { model }, recorder } = setting
  recorder.emit({ event: "RunStarted", model: model.id, model_provider: model.provider })
  const outcome = yield* outcomeOf(setting)
  const state = yield* SessionState.close(start.begun.session_state, context.sessionState)
  return RunEnd.make({ command, context, model, recorder, state }, outcome)
})

/** An interruption ends the run early: as a cancelled one when somebody wanted that, else as a failed one. */
export const run = (start: Start): Effect.Effect<RunEnd.Ended> =>
  Effect.annotateLogs(execute(start), { run_id: start.command.run_id, agent_id: start.command.agent.id })
