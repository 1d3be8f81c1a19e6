// Executes a run of an agent from its input, or from the last entry of its journal, to its output. It never fails: an
// error becomes the end of the run, with a text for the caller. An interruption without a cancellation leaves the run
// unfinished for another node.
import type * as Requirement from "@svc/domain/Requirement"
import type * as Run from "@svc/domain/Run"
import * as ToolExecution from "@svc/domain/ToolExecution"
import * as RunSpan from "@svc/telemetry/RunSpan"
import { Effect, Option } from "effect"
import { CurrentKnowledge } from "../knowledge/RunKnowledge.ts"
import * as CurrentLearnings from "../learning/CurrentLearnings.ts"
import * as RunLog from "../run/RunLog.ts"
import type { Runnable, RunResult, Start } from "../run/Runnable.ts"
import { spanOfRun } from "../run/spanOfRun.ts"
import * as UserCode from "../userCode/UserCode.ts"
import { type AgentCommand, encode, historyOf, isRoot } from "./AgentCommand.ts"
import * as AgentJobs from "./AgentJobs.ts"
import * as AgentLoop from "./AgentLoop.ts"
import { type Dependencies, isWithoutMemory, type RunSetting, settingOf } from "./AgentSetting.ts"
import * as ClientTools from "./calls/ClientTools.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as ToolCalls from "./calls/ToolCalls.ts"
import * as EarlierMessages from "./context/EarlierMessages.ts"
import * as ShownContext from "./context/ShownContext.ts"
import * as SystemMessage from "./context/SystemMessage.ts"
import * as HookedRun from "./hooks/HookedRun.ts"
import * as HookStages from "./hooks/HookStages.ts"
import { isSerialized } from "./isSerialized.ts"
import * as MemoryUpdate from "./memory/MemoryUpdate.ts"
import { CurrentMemory } from "./memory/RunMemory.ts"
import * as ModelFallback from "./model/ModelFallback.ts"
import * as ModelOptions from "./model/ModelOptions.ts"
import * as Reasoning from "./model/Reasoning.ts"
import { type Content, contentOf } from "./model/StructuredOutput.ts"
import { isRemoteModel } from "./remote/RemoteModel.ts"
import * as Requirements from "./Requirements.ts"
import * as RunApprovals from "./RunApprovals.ts"
import * as RunEnd from "./RunEnd.ts"
import * as RunFailure from "./RunFailure.ts"
import * as RunRecorder from "./RunRecorder.ts"
import { CurrentSessions } from "./sessions/RunSessions.ts"
import * as SummaryUpdate from "./sessions/SummaryUpdate.ts"
import * as SessionState from "./SessionState.ts"
import * as Text from "./Text.ts"

/** By default the model has answered. */
const nothingMore = () => Effect.succeed(undefined)

const openingMessages = Effect.fnUntraced(function*(setting: RunSetting) {
  const { command, context, outputSchema, recorder } = setting
  const { agent, input } = command
  const shown = yield* ShownContext.knowledgeOf(setting)
  const system = yield* SystemMessage.make(agent, context, {
    knowledge: shown?.text,
    sessionState: command.add_session_state_to_context ? context.sessionState : undefined,
    outputSchema: agent.useJsonMode ? outputSchema?.shape.jsonSchema : undefined
  })
  if (system !== undefined) recorder.messages.push(recorder.message(agent.systemMessageRole, { content: system }))
  recorder.messages.push(recorder.message("user", {
    content: ShownContext.userText(setting),
    ...(shown === undefined ? {} : { references: shown.references }),
    ...(input.images === undefined ? {} : { images: input.images }),
    ...(input.audios === undefined ? {} : { audio: input.audios }),
    ...(input.videos === undefined ? {} : { videos: input.videos }),
    ...(input.files === undefined ? {} : { files: input.files })
  }))
})

/** The steps before the first request, unless they are done. What is known is read at each start, and not stored. */
const open = Effect.fnUntraced(function*(setting: RunSetting) {
  const { command, fit, models, surroundings, recorder, replayed } = setting
  const earlier = yield* ShownContext.earlierOf(setting)
  if (replayed.opening !== undefined) {
    return { earlier, sections: yield* ShownContext.sectionsOf(setting), thoughts: replayed.thoughts }
  }
  yield* openingMessages(setting)
  const sections = yield* ShownContext.sectionsOf(setting)
  recorder.messages.push(...replayed.input)
  replayed.input = []
  const thoughts = command.agent.reasoning
    ? yield* Reasoning.think({
      recorder,
      command,
      hooked: setting.hooked,
      models: surroundings.reasoning === undefined ? models : ModelFallback.make(surroundings.reasoning, []),
      settings: surroundings.reasoning === undefined ? command.agent.modelSettings : undefined,
      sections,
      earlier,
      fit
    })
    : []
  return { earlier, sections, thoughts }
})

/** Before the first request. A hook can answer instead of the model. */
const begin = Effect.fnUntraced(function*(setting: RunSetting) {
  const { command, replayed } = setting
  if (replayed.opening === undefined) {
    yield* HookedRun.checkInput(setting)
    if (replayed.changedInput === undefined) return yield* HookedRun.before(setting)
  }
  return { command: HookedRun.withInput(command, replayed.changedInput), answer: undefined }
})

const answer = Effect.fnUntraced(function*(given: RunSetting) {
  const { answer, command } = yield* begin(given)
  if (HookStages.hidesInput(given.hooked)) yield* RunSpan.addInput(command.input.input_content)
  const setting = { ...given, command }
  if (answer === undefined) return yield* answerByModel(setting)
  yield* openingMessages(setting)
  setting.recorder.messages.push(setting.recorder.message("assistant", { content: Text.ofJson(answer.value) }))
  return yield* end(setting, HookedRun.contentOf(answer.value))
})

const answerByModel = Effect.fnUntraced(function*(setting: RunSetting) {
  const { command, context, models, surroundings, outputSchema, record, recorder, replayed } = setting
  const { earlier, sections, thoughts } = yield* open(setting)
  if (replayed.turn !== undefined) {
    yield* RunApprovals.audit(surroundings.approvals, command, recorder, replayed.turn)
    yield* RunApprovals.resolveFromDecision(surroundings.approvals, command, replayed.turn)
  }
  const loopEnd = yield* AgentLoop.run({
    recorder,
    command,
    models,
    context,
    hooked: setting.hooked,
    fit: setting.fit,
    earlier,
    sections: [...EarlierMessages.instructionsOf(command.earlier_messages), ...sections],
    thoughts,
    outputSchema,
    replayed,
    followUp: surroundings.followUp ?? nothingMore,
    attempt: setting.attempt,
    record,
    media: surroundings.media,
    underLease: setting.underLease,
    isCancelled: () => setting.cancellation.reason !== undefined
  })
  if (loopEnd._tag === "Waiting") {
    yield* SessionState.check(setting.stored, context.sessionState)
    return yield* pause(setting, loopEnd.inside)
  }
  return yield* end(setting, yield* HookedRun.after(setting, yield* contentOf(outputSchema, loopEnd.text)))
})

/** After the answer. */
const end = Effect.fnUntraced(function*(setting: RunSetting, content: Content) {
  const { command, context, outputSchema, recorder } = setting
  if (outputSchema !== undefined || HookedRun.isShownAtEnd(command)) {
    RunRecorder.show(recorder, { content: content.content, content_type: content.contentType })
  }
  recorder.emit({ event: "RunContentCompleted" })
  yield* HookedRun.checkAnswer(setting, content.content)
  if (setting.memory?.options.update === "inline" && isRoot(command)) {
    yield* MemoryUpdate.inline(setting.memory, recorder)
  }
  if (setting.sessions?.summaries?.inline === true) yield* SummaryUpdate.inline(setting.sessions, recorder)
  yield* SessionState.check(setting.stored, context.sessionState)
  const answered: RunEnd.Outcome = { _tag: "Answered", content }
  return answered
})

const pause = Effect.fnUntraced(function*(
  { command, recorder, replayed, surroundings }: RunSetting,
  inside: ReadonlyArray<Requirement.Requirement>
) {
  const waiting = recorder.tools.filter(ToolExecution.isPaused)
  const unknown = waiting.filter(({ outcome_unknown }) => outcome_unknown === true)
  if (unknown.length > 0 && command.agent.onUnknownOutcome === "fail") {
    return yield* new RunFailure.OutcomeUnknown({ tools: unknown.map(({ tool_name }) => tool_name) })
  }
  if (replayed.turn !== undefined) RunApprovals.assignApprovalIds(command, recorder, replayed.turn)
  const stamped = recorder.tools.filter(ToolExecution.isPaused)
  recorder.requirements = yield* Requirements.of(recorder.requirements, stamped, inside)
  if (replayed.turn !== undefined) {
    yield* RunApprovals.createApproval(surroundings.approvals, command, recorder, replayed.turn)
  }
  recorder.emit({ event: "RunContentCompleted" })
  const paused: RunEnd.Outcome = {
    _tag: "Paused",
    waiting: [...stamped, ...inside.map(({ tool_execution }) => tool_execution)]
  }
  return paused
})

/** The end of the run. Undefined if another node resumes it. */
const outcomeOf = Effect.fnUntraced(function*(setting: RunSetting): Effect.fn.Return<RunEnd.Outcome | undefined> {
  const { cancellation, recorder } = setting
  const cancelled = (reason: string): RunEnd.Outcome => {
    RunRecorder.cutOff(recorder)
    return { _tag: "Cancelled", reason }
  }
  if (cancellation.reason !== undefined) return cancelled(cancellation.reason)
  const exit = yield* Effect.exit(Effect.interruptible(UserCode.exitOf(answer(setting))))
  if (exit._tag === "Failure") return cancellation.reason === undefined ? undefined : cancelled(cancellation.reason)
  const answered = exit.value
  return answered._tag === "Success"
    ? answered.value
    : { _tag: "Failed", failure: yield* RunFailure.fromCause(answered.cause, recorder) }
})

const executeWith = Effect.fnUntraced(function*(
  { command, failures }: SourceTools.Opened,
  surroundings: Dependencies,
  start: Start
) {
  const setting = yield* settingOf(command, surroundings, start)
  const { context, recorder, replayed: { turn } } = setting
  if (start.isContinued) recorder.emit({ event: "RunContinued", ...yield* ToolCalls.closedIn(recorder, turn) })
  for (const failure of failures) recorder.emit({ event: "ToolSourceFailed", ...failure })
  const executing = outcomeOf(setting).pipe(
    Effect.provideService(CurrentMemory, setting.memory),
    Effect.provideService(CurrentSessions, setting.sessions),
    Effect.provideService(CurrentKnowledge, setting.knowledge)
  )
  const outcome = yield* (isWithoutMemory(command) ? CurrentLearnings.without(executing) : executing)
  if (outcome === undefined) {
    yield* Effect.logInfo("A run is handed over")
    return Option.none<RunResult<Run.Output>>()
  }
  const state = yield* SessionState.close(start.snapshot.session_state, context.sessionState)
  const ended = RunEnd.make(
    { command, context, fit: setting.fit, model: setting.models.current, recorder, state },
    outcome
  )
  const jobs = outcome._tag === "Answered" ? yield* AgentJobs.after(setting) : []
  yield* RunApprovals.ended(surroundings.approvals, setting, ended.output.status)
  return Option.some({ ...ended, jobs })
})

/** A client's tools come last: they replace none of the author's. */
const execute = (command: AgentCommand, surroundings: Dependencies, start: Start) =>
  command.agent.toolSources.length === 0
    ? executeWith({ command: ClientTools.withTools(command), failures: [] }, surroundings, start)
    : Effect.scoped(Effect.flatMap(
      SourceTools.open(command, start.journal.entries),
      (opened) => executeWith({ ...opened, command: ClientTools.withTools(opened.command) }, surroundings, start)
    ))

/** A run of an agent as a Runnable. */
export const make = (given: AgentCommand, surroundings: Dependencies): Runnable<Run.Output> => {
  const command = { ...given, agent: ModelOptions.withChosen(given.agent, given) }
  const { agent, entries = [], run_id } = command
  const { model } = surroundings
  return {
    component: {
      kind: "agent",
      id: agent.id,
      tags: { agent_id: agent.id, agent_name: agent.name },
      data: {
        name: agent.name,
        agent_id: agent.id,
        model: { name: model.name, provider: model.provider, id: model.id }
      },
      metadata: agent.metadata ?? null
    },
    options: encode(command),
    storesEvents: agent.storeEvents,
    history: historyOf(command),
    isSerialized: isSerialized(command),
    limits: agent.limits,
    startEvent: { event: "RunStarted", model: model.id, model_provider: model.provider },
    entries,
    run: (start) => {
      const { id, name } = agent
      const executing = RunLog.withIds(execute(command, surroundings, start), { run_id, agent_id: id })
      // the run of a leader is the run of its team
      if (surroundings.isLeader === true) return executing
      const hidesInput = HookStages.hidesInput({ agent })
      const remote = isRemoteModel(model) ? { address: new URL(model.remote.url).hostname } : undefined
      return spanOfRun(executing, command, start, { component: { kind: "agent", id, name, remote }, hidesInput })
    }
  }
}
