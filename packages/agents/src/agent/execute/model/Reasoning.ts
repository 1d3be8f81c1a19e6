// Reasoning before the answer. A reasoning model is configured to reason, and its reasoning is shown as it arrives.
// Other models get requests for one explicit step after the other until they have the answer. The agent's model gets
// the steps as a message that is not stored, because it belongs to this run.
import type * as Message from "@svc-runtime/domain/Message"
import * as Reasoning from "@svc-runtime/domain/Reasoning"
import type { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { type Shape, shapeOf } from "@svc-runtime/engine/schema/AnySchema"
import type { Model } from "@svc-runtime/models/Model"
import type { ModelSettings } from "@svc-runtime/models/ModelSettings"
import { Effect, Schema } from "effect"
import type { AiError, Prompt } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import type { AgentCommand } from "../AgentCommand.ts"
import type * as ContextFit from "../context/ContextFit.ts"
import { toPrompt } from "../context/Conversation.ts"
import type { HookFailure } from "../hooks/HookFailure.ts"
import * as HookStages from "../hooks/HookStages.ts"
import * as RunLimits from "../RunLimits.ts"
import { addUsage, type RunRecorder } from "../RunRecorder.ts"
import * as ModelFallback from "./ModelFallback.ts"
import * as ModelStep from "./ModelStep.ts"
import { contentOf, formatOf, named, type OutputUnchecked } from "./StructuredOutput.ts"

const Thought = Schema.Struct({
  title: Schema.String.annotate({ description: "A few words that say what this step does" }),
  action: Schema.String.annotate({ description: "What you do in this step" }),
  result: Schema.String.annotate({ description: "What came out of it" }),
  reasoning: Schema.String.annotate({ description: "Why you do it, and what you make of the result" }),
  next_action: Reasoning.NextAction,
  confidence: Schema.Finite.annotate({ description: "From 0 to 1" })
}).annotate({ title: "ReasoningStep" })

const schema = named(shapeOf(Thought) as Shape<unknown>)

const task = ({ reasoningMaxSteps, reasoningMinSteps }: Agent) =>
  "Think about the request before it is answered. Do not answer it yet. Give exactly one step of your thinking as " +
  `JSON. Take at least ${reasoningMinSteps} and at most ${reasoningMaxSteps} steps in all. Set next_action to ` +
  "\"continue\" while there is more to think through, \"validate\" to check what you have, \"reset\" to start over, and " +
  "\"final_answer\" when you are done."

const asMarkdown = (steps: ReadonlyArray<Reasoning.ReasoningStep>): string =>
  steps.map((step) => `## ${step.title ?? "Step"}\n${step.reasoning ?? ""}\n${step.result ?? ""}\n`).join("\n")

const isStep = Schema.is(Reasoning.ReasoningStep)

export interface Thinking {
  readonly recorder: RunRecorder
  readonly command: AgentCommand
  /** Those of the agent, or the model for its reasoning alone. */
  readonly models: ModelFallback.RunModels
  readonly settings: ModelSettings | undefined
  readonly hooked: HookStages.Hooked
  /** What is known about the user and the session. */
  readonly sections: ReadonlyArray<string>
  readonly earlier: ContextFit.Earlier
  readonly fit: ContextFit.ContextFit
}

/** A step as the hooks after the model leave it: one that they change is a text without parts. */
const passed = Effect.fnUntraced(function*(
  { hooked, models }: Thinking,
  step: Reasoning.ReasoningStep
): Effect.fn.Return<Reasoning.ReasoningStep, HookFailure> {
  const reasoning = asMarkdown([step])
  const { isChanged, value } = yield* HookStages.afterModel(hooked, {
    text: "",
    reasoning,
    model: models.current.id,
    calls: []
  })
  if (!isChanged || value.reasoning === reasoning) return step
  return { ...step, title: null, action: null, result: null, reasoning: value.reasoning }
})

/** Requests one step. Undefined if the model returns something else. */
const reason = Effect.fnUntraced(function*(thinking: Thinking, prompt: Prompt.Prompt) {
  const { command, hooked, models, recorder, settings } = thinking
  const isWithheld = HookStages.getsAnswers(hooked)
  const shown = { any: false }
  const ask = (model: Model, hasFallback: boolean) =>
    ModelStep.run(
      command.agent,
      {
        model,
        settings,
        prompt,
        toolkit: undefined,
        toolChoice: "none",
        format: formatOf(schema),
        stream: command.stream,
        onText: undefined,
        hides: HookStages.hides(hooked),
        onReasoning: isWithheld
          ? undefined
          : (delta) => {
            recorder.emit({ event: "ReasoningContentDelta", reasoning_content: delta })
            return true
          }
      },
      shown,
      hasFallback
    )
  const count = (model: Model, { usage }: ModelStep.StepResult) =>
    Effect.sync(() => addUsage(recorder, "reasoning_model", model, usage))
  const requesting = ModelFallback.request({ models, shown, emit: recorder.emit, onRefusal: count }, ask)
  const result = yield* RunLimits.limited(command.agent, recorder, requesting)
  yield* count(models.current, result)
  const { content } = yield* contentOf(schema, result.text)
  return isStep(content) ? yield* passed(thinking, content) : undefined
})

/** The task, with the agent's instructions and the conversation so far. */
const openingOf = ({ command, earlier, recorder, sections }: Thinking): ContextFit.Opening => {
  const isUser = (message: Message.Message) => message.role === "user"
  const replies = recorder.messages.filter((message) => !isUser(message)).map((message) => message.content ?? "")
  const system = recorder.message("system", { content: [task(command.agent), ...replies, ...sections].join("\n\n") })
  return { ...earlier, system: toPrompt([system]).content, input: toPrompt(recorder.messages.filter(isUser)).content }
}

/** Records the steps, and returns them as a message for the agent's model. */
export const think = Effect.fnUntraced(function*(
  thinking: Thinking
): Effect.fn.Return<
  ReadonlyArray<Message.Message>,
  AiError.AiError | HookFailure | OutputUnchecked | RunLimits.RunLimitReached | ValueTooLarge
> {
  const { command: { agent }, fit, recorder } = thinking
  const opening = openingOf(thinking)
  const conversation: Array<Message.Message> = []
  const steps = recorder.reasoningSteps
  recorder.emit({ event: "ReasoningStarted" })
  while (steps.length < agent.reasoningMaxSteps) {
    const thought = yield* reason(thinking, fit.promptOf(opening, toPrompt(conversation)))
    if (thought === undefined) break
    steps.push(thought)
    recorder.emit({
      event: "ReasoningStep",
      content: thought,
      content_type: "ReasoningStep",
      reasoning_content: asMarkdown(steps)
    })
    if (thought.next_action === "final_answer" && steps.length >= agent.reasoningMinSteps) break
    conversation.push(
      recorder.message("assistant", { content: JSON.stringify(thought) }),
      recorder.message("user", { content: "The next step, please." })
    )
  }
  recorder.emit({ event: "ReasoningCompleted", content: { reasoning_steps: steps }, content_type: "ReasoningSteps" })
  if (steps.length === 0) return []
  const thought = asMarkdown(steps)
  recorder.reasoning += thought
  return [
    recorder.message("assistant", { content: `<thinking>\n${thought}\n</thinking>` }),
    recorder.message("user", { content: "Answer the request now, on the basis of this thinking." })
  ]
})
