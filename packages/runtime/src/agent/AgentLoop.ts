// The loop of an agent: ask the model, execute the tools it asks for, ask again, until it answers. Every request and
// every tool call is recorded as it happens; what is recorded when the loop fails is what the failed run shows.
import { type Agent as AgentSchema, type Message, type RunEvent, Usage } from "@svc/domain"
import { Effect, Schema } from "effect"
import { Prompt } from "effect/ai"
import type { Model } from "../model/Model.ts"
import { toPrompt } from "./Conversation.ts"
import * as ModelStep from "./ModelStep.ts"
import type { RunCommand } from "./RunCommand.ts"
import type { RunContext } from "./RunContext.ts"
import { addUsage, type RunRecorder, show } from "./RunRecorder.ts"
import { formatOf, type OutputSchema } from "./StructuredOutput.ts"
import * as ToolCalls from "./ToolCalls.ts"
import { toolkitOf } from "./Toolkits.ts"

/** A model that asks for tools for ever is stopped here, whatever the agent's own limit. */
export const maximumRequests = 100

export class LoopExhausted extends Schema.TaggedError<LoopExhausted>()("LoopExhausted", { requests: Schema.Int }) {
  override get message() {
    return `The model was asked ${this.requests} times and still wants to call tools`
  }
}

export interface Loop {
  readonly recorder: RunRecorder
  readonly command: RunCommand
  readonly model: Model
  readonly context: RunContext
  /** The conversation before this run. */
  readonly history: ReadonlyArray<Message.Message>
  /** What was thought before answering: shown to the model after the input, and not stored as messages. */
  readonly thoughts: ReadonlyArray<Message.Message>
  readonly outputSchema: OutputSchema | undefined
}

/** Shows a piece of the answer, and keeps it in case there will be no more. */
const showText = (recorder: RunRecorder) => (delta: string) => {
  recorder.partial += delta
  show(recorder, { content: delta })
}

const ask = (
  { command: { agent, stream }, model, outputSchema, recorder }: Loop,
  prompt: Prompt.Prompt,
  toolChoice: AgentSchema.ToolChoice
) =>
  ModelStep.run(agent, {
    model,
    prompt,
    toolkit: toolkitOf(agent),
    toolChoice,
    format: formatOf(agent.useJsonMode ? undefined : outputSchema),
    stream,
    // The pieces of an object mean nothing by themselves: it is shown whole, when it is there.
    onText: outputSchema === undefined ? showText(recorder) : undefined,
    onReasoning: (delta) => show(recorder, { reasoning_content: delta })
  })

const firstToken = ({ timeToFirstToken }: ModelStep.StepResult) =>
  timeToFirstToken === undefined ? {} : { time_to_first_token: timeToFirstToken }

const completed = ({ id, provider }: Model, result: ModelStep.StepResult): RunEvent.Payload => ({
  event: "ModelRequestCompleted",
  model: id,
  model_provider: provider,
  input_tokens: result.usage.input_tokens ?? 0,
  output_tokens: result.usage.output_tokens ?? 0,
  total_tokens: result.usage.total_tokens ?? 0,
  ...firstToken(result),
  reasoning_tokens: result.usage.reasoning_tokens ?? 0,
  cache_read_tokens: result.usage.cache_read_tokens ?? 0,
  cache_write_tokens: result.usage.cache_write_tokens ?? 0
})

const assistantMessage = (recorder: RunRecorder, result: ModelStep.StepResult, duration: number) =>
  recorder.message("assistant", {
    ...(result.text === "" ? {} : { content: result.text }),
    ...(result.reasoning === "" ? {} : { reasoning_content: result.reasoning }),
    ...(result.calls.length === 0 ? {} : { tool_calls: ModelStep.toolCallsOf(result.calls) }),
    metrics: {
      ...Usage.countersOf(result.usage),
      ...firstToken(result),
      // as every metric that is zero, left out
      ...(duration === 0 ? {} : { duration })
    }
  })

/** One request with its two events and its assistant message. */
const step = Effect.fnUntraced(function*(loop: Loop, prompt: Prompt.Prompt, toolChoice: AgentSchema.ToolChoice) {
  const { model, recorder } = loop
  recorder.emit({ event: "ModelRequestStarted", model: model.id, model_provider: model.provider })
  const startedAt = recorder.elapsed()
  const result = yield* ask(loop, prompt, toolChoice)
  const duration = recorder.elapsed() - startedAt
  addUsage(recorder, "model", model, result.usage)
  if (result.timeToFirstToken !== undefined) recorder.timeToFirstToken ??= startedAt + result.timeToFirstToken
  recorder.reasoning += result.reasoning
  recorder.files.push(...result.files)
  if (result.citations !== undefined) recorder.citations = result.citations
  recorder.emit(completed(model, result))
  recorder.messages.push(assistantMessage(recorder, result, duration))
  recorder.partial = ""
  return result
})

/** A tool that the model was told to call is called once; then the model is free to answer. */
const nextChoice = (choice: AgentSchema.ToolChoice): AgentSchema.ToolChoice => choice === "none" ? "none" : "auto"

/** Runs until the model has nothing more to ask for, and gives its last words. */
export const run = Effect.fnUntraced(function*(loop: Loop) {
  const { command, context, recorder } = loop
  const { agent } = command
  const limit = agent.toolCallLimit ?? Number.POSITIVE_INFINITY
  let prompt = toPrompt([
    ...recorder.messages.filter((message) => message.role !== "user"),
    ...loop.history,
    ...recorder.messages.filter((message) => message.role === "user"),
    ...loop.thoughts
  ])
  let toolChoice: AgentSchema.ToolChoice = agent.toolChoice ?? "auto"
  let calls = 0
  for (let requests = 0; requests < maximumRequests; requests++) {
    const result = yield* step(loop, prompt, calls >= limit ? "none" : toolChoice)
    if (result.calls.length === 0) return result.text
    const answers = yield* ToolCalls.answer({ recorder, agent, context }, result.calls, limit - calls)
    calls += result.calls.length
    recorder.messages.push(...answers.messages)
    if (answers.last !== undefined) {
      if (loop.outputSchema === undefined) show(recorder, { content: answers.last })
      return answers.last
    }
    prompt = Prompt.concat(
      Prompt.concat(prompt, Prompt.fromResponseParts(result.parts)),
      toPrompt(answers.messages)
    )
    toolChoice = nextChoice(toolChoice)
  }
  return yield* new LoopExhausted({ requests: maximumRequests })
})
