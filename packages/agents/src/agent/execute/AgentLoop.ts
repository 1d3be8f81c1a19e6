// The loop of an agent: request the model, execute its tool calls, repeat until it answers. Every request and call is
// recorded, so a failed run shows its progress. A request with calls is in the journal before they are executed, and
// each result when it arrives, so that a replay can resume the loop.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Usage from "@svc-runtime/domain/Usage"
import * as GeneratedMedia from "@svc-runtime/engine/media/GeneratedMedia"
import * as JournalMedia from "@svc-runtime/engine/media/JournalMedia"
import type { Model } from "@svc-runtime/models/Model"
import * as ModelError from "@svc-runtime/models/ModelError"
import { Effect, Schema } from "effect"
import { AiError, Prompt } from "effect/ai"
import type { AgentExecution } from "./AgentExecution.ts"
import type * as AgentJournal from "./AgentJournal.ts"
import * as NewCalls from "./calls/NewCalls.ts"
import * as ProviderCalls from "./calls/ProviderCalls.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as ToolCalls from "./calls/ToolCalls.ts"
import { toolkitOf } from "./calls/Toolkits.ts"
import * as ToolSampling from "./calls/ToolSampling.ts"
import type * as ContextFit from "./context/ContextFit.ts"
import { isSystem, toPrompt } from "./context/Conversation.ts"
import * as StablePrefix from "./context/StablePrefix.ts"
import * as HookStages from "./hooks/HookStages.ts"
import * as ShownAnswer from "./hooks/ShownAnswer.ts"
import * as ToolHooks from "./hooks/ToolHooks.ts"
import * as ModelAnswer from "./model/ModelAnswer.ts"
import * as ModelFallback from "./model/ModelFallback.ts"
import * as ModelStep from "./model/ModelStep.ts"
import type { StepResult } from "./model/ModelStep.ts"
import * as OutputRepair from "./model/OutputRepair.ts"
import * as PartialObject from "./model/PartialObject.ts"
import * as PrefixWatch from "./model/PrefixWatch.ts"
import { formatOf } from "./model/StructuredOutput.ts"
import * as UnreadableCalls from "./model/UnreadableCalls.ts"
import { close } from "./Replay.ts"
import * as RunLimits from "./RunLimits.ts"
import { addUsage, figuresOf, type RunRecorder, show } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

/** Stops a model that never stops calling tools, whatever the agent's limit. */
export const maxRequests = 100

export class LoopExhausted extends Schema.TaggedError<LoopExhausted>()("LoopExhausted", {
  /** The agent, or the team of a leader. */
  component: Schema.String,
  requests: Schema.Int
}) {
  override get message() {
    return `${this.component} asked its model ${this.requests} times, which is the limit for a run, and the model still ` +
      "wants to call tools"
  }
}

/** An execution whose opening is complete, with what the model is shown and what is not stored as messages. */
export interface Loop extends AgentExecution {
  readonly earlier: ContextFit.Earlier
  /** Of the client. */
  readonly instructions: ReadonlyArray<string>
  /** What is known about the user and the session. */
  readonly sections: ReadonlyArray<string>
  /** Explicit reasoning: shown to the model after the input. */
  readonly thoughts: ReadonlyArray<Message.Message>
}

/** Runs until the model has answered, or until a decision is needed. */
export const run = Effect.fnUntraced(function*(loop: Loop) {
  const { recorder, replayed, thoughts } = loop
  const opening = replayed.opening ?? recorder.messages
  const input = toPrompt([...opening.filter((message) => !isSystem(message)), ...thoughts]).content
  const parts: ContextFit.Opening = { ...loop.earlier, ...beginningOf(loop, opening.filter(isSystem), input) }
  while (replayed.requests < maxRequests || replayed.turn !== undefined) {
    if (replayed.turn !== undefined) {
      const result = yield* applyDecisions(loop, replayed.turn)
      if (result !== undefined) return result
      continue
    }
    const result = yield* request(loop, parts)
    if (!("_tag" in result)) continue
    const again = (conversation: Prompt.Prompt) =>
      step(loop, loop.fit.promptOf(shownOf(loop, parts), conversation), "none")
    return yield* OutputRepair.repaired(loop, result, again)
  }
  const { command: { agent }, dependencies } = loop
  const component = `${dependencies.isLeader === true ? "Team" : "Agent"} '${agent.id}'`
  return yield* new LoopExhausted({ component, requests: maxRequests })
})

/** The system messages and the input. For a cache, what changes is with the input. */
const beginningOf = (loop: Loop, system: ReadonlyArray<Message.Message>, input: ReadonlyArray<Prompt.Message>) => {
  const { cache, instructions, sections } = loop
  if (cache === undefined) {
    return { system: toPrompt(withSections(loop, system, [...instructions, ...sections])).content, input }
  }
  const textOf = ({ content = "" }: Message.Message) => StablePrefix.textOf(content)
  const steady = system.filter((message) => textOf(message) === undefined)
  return {
    system: toPrompt(withSections(loop, steady, instructions)).content,
    input: StablePrefix.withContext([...system.flatMap((message) => textOf(message) ?? []), ...sections], input)
  }
}

const withSections = (
  { command: { agent }, recorder }: Loop,
  system: ReadonlyArray<Message.Message>,
  sections: ReadonlyArray<string>
) => {
  if (sections.length === 0) return system
  const [first = recorder.message(agent.systemMessageRole, {}), ...others] = system
  return [
    { ...first, content: [...first.content === undefined ? [] : [first.content], ...sections].join("\n\n") },
    ...others
  ]
}

/**
 * The text of an answer before its last message. A provider that executes tools can pause an answer: it continues when
 * it gets the answer back.
 */
const joinedText = ({ messages }: RunRecorder): string =>
  messages
    .slice(messages.findLastIndex(({ role }) => role !== "assistant") + 1, -1)
    .map(({ content }) => typeof content === "string" ? content : "")
    .join("")

/** Requests the model. Returns its answer, or the turn of its calls. */
const request = Effect.fnUntraced(function*(loop: Loop, opening: ContextFit.Opening) {
  const { command: { agent }, record, recorder, replayed } = loop
  const remaining = (agent.toolCallLimit ?? Number.POSITIVE_INFINITY) - replayed.calls
  const first: AgentSchema.ToolChoice = agent.toolChoice ?? "auto"
  const choice = replayed.requests === 0 ? first : nextChoice(first)
  const asking = (conversation: Prompt.Prompt) =>
    fitting(
      loop,
      () => step(loop, loop.fit.promptOf(shownOf(loop, opening), conversation), remaining <= 0 ? "none" : choice)
    )
  const taken = (written: Prompt.Prompt) => {
    const conversation = Prompt.concat(replayed.conversation, written)
    return Effect.catchTag(asking(conversation), "AiError", (error) =>
      isRefused(error) && canLeaveOut(loop, opening)
        ? Effect.andThen(leaveOut(loop, error), Effect.suspend(() => asking(conversation)))
        : Effect.fail(error))
  }
  const response = yield* UnreadableCalls.corrected(loop, yield* taken(Prompt.empty), taken)
  const { result } = response
  const isPaused = result.response.finishReason === "pause"
  const hasEnded = result.calls.length === 0 && !isPaused
  const more = hasEnded ? yield* followUpOf(loop) : undefined
  if (hasEnded && more === undefined) return { _tag: "Answer" as const, text: joinedText(recorder) + result.text }
  const made = yield* NewCalls.of(loop, response, { step: replayed.requests, remaining, called: replayed.called })
  const { turn } = made
  replayed.requests++
  replayed.calls += result.calls.length
  replayed.turn = turn
  replayed.conversation = Prompt.concat(
    replayed.conversation,
    ProviderCalls.sendable(Prompt.fromResponseParts(made.result.parts))
  )
  const entry = entryOf(loop, made, response.media)
  replayed.opening ??= entry.before
  yield* record(entry)
  if (more !== undefined) {
    replayed.input = [...replayed.input, recorder.message("user", { content: more })]
    const { attempt } = loop
    yield* record({ kind: "resolved", attempt, decisions: [], requirements: recorder.requirements, input: more })
  }
  return turn
})

/** A request that is too long for its model is repeated with less of the conversation, as long as there is less. */
const fitting = <A, E, R>(
  loop: Loop,
  asking: () => Effect.Effect<A, AiError.AiError | E, R>
): Effect.Effect<A, AiError.AiError | E, R> =>
  Effect.catch(Effect.suspend(asking), (error) => {
    const isLong = AiError.isAiError(error) && ModelError.isTooLong(error) && loop.recorder.partial === ""
    return isLong && loop.fit.shorten()
      ? Effect.andThen(
        Effect.logWarning(
          "A request is too long for its model. It is repeated with less of the conversation",
          ModelError.describe(error).message
        ),
        fitting(loop, asking)
      )
      : Effect.fail(error)
  })

// A provider can refuse a request because of what an earlier run could not get through either. Each later run of the
// session would then fail as well. So a refused request is repeated once without it.

/** The reasons for which the same request is refused again. */
const refusals: ReadonlyArray<AiError.AiErrorReason["_tag"]> = [
  "ContentPolicyError",
  "InvalidRequestError",
  "InvalidUserInputError"
]

const isRefused = ({ reason }: AiError.AiError): boolean => refusals.includes(reason._tag)

const canLeaveOut = ({ leftOut, media, recorder }: Loop, { finished }: ContextFit.Opening): boolean =>
  (finished !== undefined || media.hasShown()) && !leftOut.isOn && recorder.partial === ""

const shownOf = ({ leftOut }: Loop, opening: ContextFit.Opening): ContextFit.Opening =>
  leftOut.isOn ? { ...opening, history: opening.finished ?? opening.history } : opening

const leaveOut = ({ leftOut }: Loop, error: AiError.AiError) =>
  Effect.suspend(() => {
    leftOut.isOn = true
    return Effect.logWarning(
      "A provider has refused a request. It is repeated without media of tools, and without runs that did not complete",
      ModelError.describe(error).message
    )
  })

/** A forced tool is called once; then the model can answer. */
const nextChoice = (choice: AgentSchema.ToolChoice): AgentSchema.ToolChoice => choice === "none" ? "none" : "auto"

/** Further input for a model that has finished. Undefined, also without a source of it: the model has answered. */
const followUpOf = ({ dependencies: { followUp } }: Loop) =>
  followUp === undefined ? Effect.succeed(undefined) : followUp()

/** The journal entry of a request with calls. */
const entryOf = (
  { command: { agent }, recorder, replayed, thoughts }: Loop,
  { hooked, message, result, turn }: NewCalls.NewCalls,
  media: ReadonlyArray<Media.File>
): AgentJournal.ModelTurn => {
  const isFirst = replayed.opening === undefined
  return {
    kind: "asked",
    before: isFirst ? recorder.messages.slice(0, -1) : [],
    thoughts: isFirst ? thoughts : [],
    message,
    said: JournalMedia.referenced(Prompt.fromResponseParts(result.parts), media),
    calls: result.calls.map(({ id, input, name }) => ({
      id,
      name,
      input: Turn.jsonOf(input),
      offered_by: SourceTools.offeredBy(agent, name)
    })),
    begun: Turn.immediate(agent, turn),
    ...(result.response.finishReason === "length" ? { is_cut: true } : {}),
    ...(hooked.length === 0 ? {} : { hooked }),
    figures: figuresOf(recorder)
  }
}

/** One request with its two events and its assistant message. */
const step = Effect.fnUntraced(function*(loop: Loop, given: Prompt.Prompt, toolChoice: AgentSchema.ToolChoice) {
  const { command, hooked, models, recorder } = loop
  const window = command.stream ? ShownAnswer.make(command.agent) : undefined
  const { answer: instead, prompt } = yield* HookStages.beforeModel(hooked, models.current.id, given)
  if (instead !== undefined) {
    const result = yield* answerPassed(loop, answerOfHook(instead), window)
    const message = assistantMessage(recorder, result, 0)
    recorder.messages.push(message)
    recorder.finishReason = undefined
    return { message, result, media: [] }
  }
  const shown = { any: false }
  let startedAt = 0
  const requesting = ModelFallback.request(
    {
      models,
      shown,
      emit: recorder.emit,
      onRefusal: (model, { usage }) => Effect.sync(() => addUsage(recorder, "model", model, usage))
    },
    (model, hasFallback) => {
      recorder.emit({ event: "ModelRequestStarted", model: model.id, model_provider: model.provider })
      startedAt = recorder.elapsed()
      return callModel(loop, model, { shown, hasFallback, window }, prompt, toolChoice)
    }
  )
  const received = withUniqueIds(yield* RunLimits.limited(command.agent, recorder, requesting), recorder)
  const duration = recorder.elapsed() - startedAt
  const model = models.current
  addUsage(recorder, "model", model, received.usage)
  loop.fit.counted(received.usage.input_tokens)
  const answer = yield* providerCallsPassed(loop, received)
  recorder.emit(completed(model, answer))
  yield* noteFinish(recorder, model, answer)
  const result = yield* answerPassed(loop, answer, window)
  if (result.timeToFirstToken !== undefined) recorder.timeToFirstToken ??= startedAt + result.timeToFirstToken
  recorder.reasoning += result.reasoning
  const media = result.files.length === 0
    ? []
    : yield* GeneratedMedia.stored(loop.dependencies.media, loop.command.session_id, result.files)
  recorder.files.push(...media)
  if (result.citations !== undefined) recorder.citations = result.citations
  const calls = [...ToolHooks.withheld(hooked, result.calls)]
  const message = assistantMessage(recorder, { ...result, calls }, duration)
  recorder.messages.push(message)
  recorder.partial = ""
  return { message, result, media }
})

interface Showing {
  readonly shown: { any: boolean }
  readonly hasFallback: boolean
  /** What the answer is shown through. */
  readonly window: ShownAnswer.ShownAnswer | undefined
}

const callModel = (
  { cache, command: { agent, stream }, fit, history, media, outputSchema, recorder }: Loop,
  model: Model,
  { hasFallback, shown, window }: Showing,
  prompt: Prompt.Prompt,
  toolChoice: AgentSchema.ToolChoice
) => {
  const isWithheld = HookStages.withholds({ agent })
  const toolkit = toolkitOf(agent, [history, recorder.messages])
  const changed = PrefixWatch.changed({ cache, model, prompt, toolkit })
  const seen = (of: "reasoning" | "text", showDelta: (delta: string) => void) => (delta: string) => {
    const part = window === undefined ? delta : window.add(of, delta)
    if (part === "") return false
    showDelta(part)
    return true
  }
  const asking = ModelStep.run(
    agent,
    {
      model,
      settings: agent.modelSettings,
      prompt,
      media,
      toolkit,
      toolChoice,
      format: formatOf(agent.useJsonMode ? undefined : outputSchema),
      cache,
      changed,
      leftOut: fit.leftOut(),
      stream,
      hides: HookStages.hides({ agent }),
      onText: outputSchema === undefined && !isWithheld ? seen("text", showText(recorder)) : undefined,
      onPartial: outputSchema === undefined || HookStages.getsAnswers({ agent })
        ? undefined
        : PartialObject.emitter(outputSchema, recorder.emit),
      onReasoning: isWithheld
        ? undefined
        : seen("reasoning", (delta) => show(recorder, { reasoning_content: delta })),
      onAttempt: window?.restart
    },
    shown,
    hasFallback
  )
  return changed.length === 0 ? asking : Effect.andThen(PrefixWatch.warned(agent, changed), asking)
}

/** Shows a part of the answer, and keeps it in case the request breaks off. */
const showText = (recorder: RunRecorder) => (delta: string) => {
  recorder.partial += delta
  show(recorder, { content: delta })
}

/** The ids of the calls of the run so far. */
const knownIds = ({ messages, tools }: Pick<RunRecorder, "messages" | "tools">): Set<string> =>
  new Set([
    ...messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)),
    ...tools.map(({ tool_call_id }) => tool_call_id)
  ])

/**
 * The answer with call ids that are unique in the run, because people and tools refer to calls by id. Some model
 * servers leave them empty or repeat them: such a call gets a new id before it is shown or stored.
 */
const withUniqueIds = <A extends Pick<ModelAnswer.ModelAnswer, "calls" | "parts">>(
  answer: A,
  { messages, newId, tools }: Pick<RunRecorder, "messages" | "newId" | "tools">
): A => {
  if (answer.calls.length === 0) return answer
  const taken = knownIds({ messages, tools })
  const idOf = (id: string) => {
    const given = id === "" || taken.has(id) ? `call_${newId()}` : id
    taken.add(given)
    return given
  }
  const parts = answer.parts.map((part) => ModelAnswer.isCall(part) ? { ...part, id: idOf(part.id) } : part)
  return { ...answer, parts, calls: parts.filter(ModelAnswer.isCall).map(ModelAnswer.callOf) }
}

/** The calls that the provider has executed are shown as the hooks leave them. */
const providerCallsPassed = Effect.fnUntraced(function*({ command, hooked, recorder }: Loop, received: StepResult) {
  if (command.agent.providerTools.size === 0) return received
  const { answer, calls } = yield* ProviderCalls.passed(hooked, received, recorder.now())
  ProviderCalls.show(recorder, calls)
  return answer
})

const firstToken = ({ timeToFirstToken }: ModelStep.StepResult) =>
  timeToFirstToken === undefined ? {} : { time_to_first_token: timeToFirstToken }

/** Of a request that was answered. */
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

const cutBy = { length: "length", "content-filter": "content_filter" } as const

/** Marks a run whose last answer ends before its end. */
const noteFinish = Effect.fnUntraced(function*(
  recorder: RunRecorder,
  { id, provider }: Model,
  { response: { finishReason = "stop" } }: ModelStep.StepResult
) {
  recorder.finishReason = finishReason === "length" || finishReason === "content-filter"
    ? cutBy[finishReason]
    : undefined
  if (recorder.finishReason !== "content_filter") return
  yield* Effect.logWarning(`The content filter of ${provider} ended an answer before its end`).pipe(
    Effect.annotateLogs({ model: id })
  )
})

const assistantMessage = (recorder: RunRecorder, result: ModelStep.StepResult, duration: number) =>
  recorder.message("assistant", {
    ...(result.text === "" ? {} : { content: result.text }),
    ...(result.reasoning === "" ? {} : { reasoning_content: result.reasoning }),
    ...(result.calls.length === 0 ? {} : { tool_calls: ModelStep.toolCallsOf(result.calls) }),
    metrics: {
      ...Usage.countersOf(result.usage),
      ...firstToken(result),
      // zero metrics are left out
      ...(duration === 0 ? {} : { duration })
    }
  })

/** An answer that a hook has given instead of the model. */
const answerOfHook = (text: string): StepResult => ({ ...ModelAnswer.of(text), timeToFirstToken: undefined })

/** An answer of the model as the hooks leave it. The rest of it is shown: a last text after the hooks of the end. */
const answerPassed = Effect.fnUntraced(function*(
  loop: Loop,
  answer: StepResult,
  window: ShownAnswer.ShownAnswer | undefined
) {
  const { command: { stream }, hooked, models, outputSchema, recorder } = loop
  if (!HookStages.getsAnswers(hooked)) return answer
  const { calls, reasoning, text } = answer
  const { value } = yield* HookStages.afterModel(hooked, {
    text,
    reasoning,
    model: models.current.id,
    calls: calls.map(({ name }) => name)
  })
  const { left, shown } = window === undefined ? { left: value, shown: value } : window.rest(value)
  if (stream && left.reasoning !== "") show(recorder, { reasoning_content: left.reasoning })
  const isNext = window !== undefined || calls.length > 0
  if (stream && left.text !== "" && isNext && outputSchema === undefined) show(recorder, { content: left.text })
  return shown.text === text && shown.reasoning === reasoning
    ? answer
    : { ...answer, ...ModelAnswer.withTexts(answer, shown) }
})

/** Answers the calls of a turn. Undefined if the model is requested again. */
const applyDecisions = Effect.fnUntraced(function*(loop: Loop, turn: Turn.Turn) {
  const { attempt, command: { agent }, context, outputSchema, record, recorder, replayed } = loop
  const answers = yield* ToolCalls.answer(
    {
      recorder,
      agent,
      context,
      hooked: loop.hooked,
      media: loop.dependencies.media,
      durable: loop.dependencies.durable,
      sampling: ToolSampling.make({ agent, models: loop.models, recorder, record }),
      onAnswer: record,
      onHooked: record,
      onBegin: (begun) => {
        const { requirements } = recorder
        return record({ kind: "resolved", attempt, decisions: [], requirements, begun })
      },
      underLease: loop.underLease,
      isCancelled: () => loop.cancellation.reason !== undefined
    },
    turn
  )
  if (answers._tag === "Waiting") return answers
  close(recorder, replayed, turn)
  if (answers.last === undefined) return undefined
  if (outputSchema === undefined && !HookStages.withholds({ agent })) show(recorder, { content: answers.last })
  return { _tag: "Answer" as const, text: answers.last }
})
