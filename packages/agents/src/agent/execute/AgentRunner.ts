// Executes a run of an agent from its input, or from the last entry of its journal, to its output. It never fails: an
// error becomes the end of the run, with a text for the caller. An interruption without a cancellation leaves the run
// unfinished for another node.
import type { ClientTool } from "@svc-runtime/domain/ClientTool"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as RunLogLines from "@svc-runtime/engine/run/RunLogLines"
import type { Runnable, RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { spanOfRun } from "@svc-runtime/engine/run/spanOfRun"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as ForeignContext from "@svc-runtime/engine/userCode/ForeignContext"
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import { Clock, Context, Effect, type JsonSchema, Option, Predicate } from "effect"
import type { Agent } from "../define/Agent.ts"
import type { IncludedText } from "../define/AgentPart.ts"
import * as ModelOptions from "../define/ModelOptions.ts"
import * as OnlineScoring from "../define/OnlineScoring.ts"
import { isRemoteModel } from "../remote/RemoteModel.ts"
import { type AgentCommand, encode, hasHistory, historyOf, isRoot } from "./AgentCommand.ts"
import { type AgentExecution, type Dependencies, executionOf } from "./AgentExecution.ts"
import * as AgentLoop from "./AgentLoop.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as ToolCalls from "./calls/ToolCalls.ts"
import type * as ContextFit from "./context/ContextFit.ts"
import * as ContextSource from "./context/ContextSource.ts"
import { mediaOf, toPrompt } from "./context/Conversation.ts"
import * as EarlierMessages from "./context/EarlierMessages.ts"
import * as StablePrefix from "./context/StablePrefix.ts"
import * as HookedRun from "./hooks/HookedRun.ts"
import * as HookStages from "./hooks/HookStages.ts"
import { isSerialized } from "./isSerialized.ts"
import * as ModelFallback from "./model/ModelFallback.ts"
import * as Reasoning from "./model/Reasoning.ts"
import { type Content, contentOf } from "./model/StructuredOutput.ts"
import * as Requirements from "./Requirements.ts"
import * as RunApprovals from "./RunApprovals.ts"
import * as RunEnd from "./RunEnd.ts"
import * as RunFailure from "./RunFailure.ts"
import type { RunPart } from "./RunPart.ts"
import * as RunRecorder from "./RunRecorder.ts"
import * as SessionState from "./SessionState.ts"
import * as Text from "./Text.ts"
import * as UnfinishedRun from "./UnfinishedRun.ts"

// What a run shows the model beside its messages: what is known now about the user and the session. It is read at each
// start, and not stored.

/** The message of the user, as the model gets it. */
const userText = ({ command }: AgentExecution): string => {
  const text = Text.ofJson(command.input.input_content)
  const hasDependencies = command.add_dependencies_to_context && Object.keys(command.dependencies).length > 0
  return hasDependencies
    ? `${text}\n\n<additional_context>\n${JSON.stringify(command.dependencies)}\n</additional_context>`
    : text
}

const hasSystemMessage = (agent: Agent): boolean => agent.systemMessage !== undefined || agent.buildContext

/** What is known now about the user and the session. An agent without a system message is shown nothing. */
const sectionsOf = (execution: AgentExecution) => {
  const { command: { agent, session_id, user_id }, parts } = execution
  const { contextSources = [] } = execution.dependencies
  if (!hasSystemMessage(agent)) return Effect.succeed([])
  const sources = [
    ...parts.flatMap(({ sources = [] }) => sources),
    ...contextSources
  ]
  return ContextSource.sections(sources, { user_id, session_id, message: userText(execution) })
}

/** The summary that can replace a part of the history. */
const historySummaryOf = ({ command, fit, isHistoryFull, parts }: AgentExecution) => {
  const summary = parts.find(({ historySummary }) => historySummary !== undefined)?.historySummary
  return summary !== undefined && hasHistory(command) && (isHistoryFull || fit.isLimited) ? summary : Effect.undefined
}

const finishedOf = ({ history }: AgentExecution) => {
  const finished = history.filter(({ in_context }) => in_context !== "unfinished")
  return finished.length === history.length ? undefined : toPrompt(finished).content
}

/** What the session has had before the run. */
const earlierOf = (execution: AgentExecution): Effect.Effect<ContextFit.Earlier> =>
  Effect.map(historySummaryOf(execution), (summary) => ({
    history: toPrompt(execution.history).content,
    finished: finishedOf(execution),
    isHistoryFull: execution.isHistoryFull,
    summary
  }))

/** What a feature shows with the message. An agent without a system message is shown nothing. */
const openingOf = ({ command: { agent, input }, parts }: AgentExecution) => {
  const opening = parts.find(({ opening }) => opening !== undefined)?.opening
  return opening !== undefined && hasSystemMessage(agent) ? opening(Text.ofJson(input.input_content)) : Effect.undefined
}

// The system message of an agent's settings. An agent without settings has none.

interface Additions {
  /** What the knowledge of the agent has about the message. */
  readonly knowledge: string | undefined
  /** Shown if the run requests it. */
  readonly sessionState: Json.Object | undefined
  /** The schema of the answer, for models without structured output. */
  readonly outputSchema: JsonSchema.JsonSchema | undefined
}

const block = (name: string, text: string) => `<${name}>\n${text}\n</${name}>`
const list = (items: ReadonlyArray<string>) => items.map((item) => `- ${item}`).join("\n")

const isText = (value: unknown): value is string | ReadonlyArray<string> | undefined =>
  value === undefined || Predicate.isString(value) || (Array.isArray(value) && value.every(Predicate.isString))

const includedIn = ({ text }: IncludedText, parts: ReadonlyArray<RunPart>) => {
  const make = parts.find(({ instructions }) => instructions !== undefined)?.instructions
  return make === undefined ? Effect.succeed(text) : make(text)
}

const instructionsOf = Effect.fnUntraced(function*({ command, context, parts }: AgentExecution) {
  const { id, instructions } = command.agent
  const owner = `The function of instructions of agent '${id}'`
  // The caller cannot act on errors of these functions: the run fails unexpectedly.
  const text = typeof instructions === "function"
    ? yield* ForeignContext.call({
      what: `The context of the instructions of agent '${id}'`,
      code: instructions,
      contextOf: () => ({ ...context }),
      run: instructions
    }).pipe(
      Effect.mapError((thrown) =>
        new UserCode.UserError({
          cause: new Error(`${owner} threw: ${UserCode.messageOf(thrown, "an error without a message")}`, {
            cause: thrown.cause
          })
        })
      ),
      Effect.orDie
    )
    : Predicate.isTagged(instructions, "IncludedText")
    ? yield* includedIn(instructions, parts)
    : instructions
  if (!isText(text)) {
    return yield* Effect.die(
      new UserCode.UserError({
        cause: mismatch(
          `What the instructions of '${id}' give`,
          "a text, a list of texts or nothing",
          [text].flat().find((each: unknown) => !Predicate.isString(each))
        )
      })
    )
  }
  if (text === undefined || text.length === 0) return undefined
  return typeof text === "string" ? text : block("instructions", list(text))
})

const formatNow = (millis: number, timeZone: string) =>
  `${new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone }).format(millis)} (${timeZone})`

/** The information that stays the same, and the time. */
const additionalInformation = Effect.fnUntraced(function*(agent: Agent) {
  const time = agent.addDatetimeToContext
    ? [`The time is ${formatNow(yield* Clock.currentTimeMillis, agent.timezone)}.`]
    : []
  const [before, after] = [
    agent.markdown ? ["Write your answers in Markdown."] : [],
    agent.addNameToContext ? [`Your name is ${agent.name}.`] : []
  ]
  const isApart = agent.promptCache !== undefined
  const lines = [...before, ...isApart ? [] : time, ...after]
  return {
    steady: lines.length === 0 ? undefined : block("additional_information", list(lines)),
    changing: isApart ? time[0] : undefined
  }
})

const joined = (texts: ReadonlyArray<string | undefined>): string | undefined => {
  const given = texts.filter((text) => text !== undefined)
  return given.length === 0 ? undefined : given.join("\n\n")
}

/** One message, or for a cache another one with what changes from run to run. */
const systemMessages = Effect.fnUntraced(function*(execution: AgentExecution, additions: Additions) {
  const { agent } = execution.command
  const { knowledge, outputSchema, sessionState } = additions
  const isApart = agent.promptCache !== undefined
  const messages = (steady: ReadonlyArray<string | undefined>, changing: ReadonlyArray<string | undefined>) => {
    const apart = isApart ? joined(changing) : undefined
    return [joined(steady) ?? [], apart === undefined ? [] : StablePrefix.block(apart)].flat()
  }
  if (agent.systemMessage !== undefined) {
    return messages([agent.systemMessage, ...isApart ? [] : [knowledge]], [knowledge])
  }
  if (!agent.buildContext) return []
  const head = [
    agent.description,
    agent.role === undefined ? undefined : block("your_role", agent.role),
    yield* instructionsOf(execution)
  ].filter((text) => text !== undefined).join("\n")
  const information = yield* additionalInformation(agent)
  const state = sessionState === undefined ? undefined : block("session_state", JSON.stringify(sessionState))
  const steady = [
    head === "" ? undefined : head,
    information.steady,
    agent.expectedOutput === undefined ? undefined : block("expected_output", agent.expectedOutput),
    agent.additionalContext,
    ...isApart ? [] : [knowledge, state],
    outputSchema === undefined
      ? undefined
      : `Answer with nothing but JSON that fits this JSON Schema:\n${
        block("json_schema", JSON.stringify(outputSchema))
      }`
  ]
  return messages(steady, [information.changing, knowledge, state])
})

/** A run of an agent as a Runnable. */
export const make = (given: AgentCommand, dependencies: Dependencies): Runnable<Run.Output> => {
  const command = { ...given, agent: ModelOptions.withChosen(given.agent, given) }
  const { agent, entries = [], run_id } = command
  const { model } = dependencies
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
    skipsUnfinished: agent.historyOfFailedRuns === "none",
    isSerialized: isSerialized(command),
    limits: agent.limits,
    startEvent: { event: "RunStarted", model: model.id, model_provider: model.provider },
    entries,
    run: (start) => {
      const { id, name } = agent
      const executing = RunLogLines.withIds(execute(command, dependencies, start), { run_id, agent_id: id })
      // the run of a leader is the run of its team
      if (dependencies.isLeader === true) return executing
      const hidesInput = HookStages.hidesInput({ agent })
      const remote = isRemoteModel(model) ? { address: new URL(model.remote.url).hostname } : undefined
      return spanOfRun(executing, command, start, { component: { kind: "agent", id, name, remote }, hidesInput })
    }
  }
}

/** A client's tools come last: they replace none of the author's. */
const execute = (command: AgentCommand, dependencies: Dependencies, start: Start) =>
  command.agent.toolSources.length === 0
    ? executeWith(
      { command: withClientTools({ ...command, agent: SourceTools.withoutSources(command.agent) }), failures: [] },
      dependencies,
      start
    )
    : Effect.scoped(Effect.flatMap(
      SourceTools.open(command),
      (opened) => executeWith({ ...opened, command: withClientTools(opened.command) }, dependencies, start)
    ))

/** The schema is for the model only. A check of the service would trust its patterns, and the client checks itself. */
const toTool = ({ description, name, parameters }: ClientTool): Tool.Tool => ({
  ...Tool.make({ name, description, externalExecution: true }),
  parameters: { type: "object", properties: {}, ...parameters }
})

/** The command with the tools of its client. A tool of the author keeps its name: the client cannot replace it. */
const withClientTools = (command: AgentCommand): AgentCommand => {
  const { agent, client_tools: tools = [] } = command
  if (tools.length === 0) return command
  const added = tools.map((tool) => [tool.name, toTool(tool)] as const)
  // those of the agent are the beginning of the requests of all clients
  const own = agent.promptCache === undefined ? [] : agent.tools
  const { by = [], sources = new Map() } = agent.offered ?? {}
  const free = added.filter(([name]) => !agent.tools.has(name))
  const offered = {
    by: new Map([...by, ...free.map(([name]) => [name, "client"] as const)]),
    client: new Map(added),
    sources
  }
  return { ...command, agent: { ...agent, offered, tools: new Map([...own, ...added, ...agent.tools]) } }
}

const executeWith = Effect.fnUntraced(function*(
  { command, failures }: SourceTools.Opened,
  dependencies: Dependencies,
  start: Start
) {
  const execution = yield* executionOf(command, dependencies, start)
  const { context, recorder, replayed: { turn } } = execution
  if (start.isContinued) recorder.emit({ event: "RunContinued", ...yield* ToolCalls.closedIn(recorder, turn) })
  for (const failure of failures) recorder.emit({ event: "ToolSourceFailed", ...failure })
  const { parts } = execution
  const outcome = yield* Effect.updateContext(outcomeOf(execution), given(parts))
  if (outcome === undefined) {
    yield* Effect.logInfo("A run is handed over")
    return Option.none<RunResult<Run.Output>>()
  }
  const state = yield* SessionState.close(start.snapshot.session_state, context.sessionState)
  const ended = RunEnd.make(
    { command, context, fit: execution.fit, parts, model: execution.models.current, recorder, state },
    outcome
  )
  const jobs = outcome._tag === "Answered" ? yield* jobsAfter(execution) : []
  yield* RunApprovals.ended(dependencies.approvals, execution, ended.output.status)
  return Option.some({ ...ended, jobs })
})

/** What parts give is added one by one: two merged contexts would be a copy of all services of the node in each run. */
const given = (parts: ReadonlyArray<RunPart>) => (around: Context.Context<never>): Context.Context<never> => {
  let context = around
  for (const { gives } of parts) {
    for (const [key, service] of gives.mapUnsafe) context = Context.addUnsafe(context, key, service)
  }
  return context
}

/** The end of the run. Undefined if another node resumes it. */
const outcomeOf = Effect.fnUntraced(function*(execution: AgentExecution): Effect.fn.Return<RunEnd.Outcome | undefined> {
  const { cancellation, recorder, replayed } = execution
  const cancelled = (reason: string): RunEnd.Outcome => {
    UnfinishedRun.cancelled(recorder, replayed.turn)
    return { _tag: "Cancelled", reason }
  }
  if (cancellation.reason !== undefined) return cancelled(cancellation.reason)
  const exit = yield* Effect.exit(Effect.interruptible(UserCode.exitOf(answer(execution))))
  if (exit._tag === "Failure") return cancellation.reason === undefined ? undefined : cancelled(cancellation.reason)
  const answered = exit.value
  if (answered._tag === "Success") return answered.value
  const failure = yield* RunFailure.fromCause(answered.cause, recorder)
  UnfinishedRun.failed(recorder, replayed.turn, answered.cause)
  return { _tag: "Failed", failure }
})

const answer = Effect.fnUntraced(function*(given: AgentExecution) {
  const { answer, command } = yield* begin(given)
  if (HookStages.hidesInput(given.hooked)) yield* RunSpan.addInput(command.input.input_content)
  const execution = { ...given, command }
  if (answer === undefined) return yield* answerByModel(execution)
  yield* openingMessages(execution)
  execution.recorder.messages.push(execution.recorder.message("assistant", { content: Text.ofJson(answer.value) }))
  return yield* end(execution, HookedRun.contentOf(answer.value))
})

/** Of a run that only takes its input in. Providers refuse messages without a text. */
const noted = { value: "Noted." }

/** Tells watchers of which background task the input is the result. */
const showTask = ({ command, recorder }: AgentExecution): void => {
  const { backgroundTask: role } = command
  if (role === undefined || role === "executes") return
  const { background_task } = RunContextOptions.requested(command)
  if (background_task === undefined) return
  const fields = { name: "background_task", background_task }
  recorder.emit({ event: "CustomEvent", ...fields })
}

/** Before the first request. A hook can answer instead of the model. */
const begin = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, replayed } = execution
  if (replayed.opening === undefined) {
    showTask(execution)
    yield* HookedRun.checkInput(execution)
    if (replayed.changedInput === undefined) {
      const begun = yield* HookedRun.before(execution)
      return command.backgroundTask === "noted" ? { ...begun, answer: begun.answer ?? noted } : begun
    }
  }
  return { command: HookedRun.withInput(command, replayed.changedInput), answer: undefined }
})

const openingMessages = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, context, outputSchema, recorder } = execution
  const { agent } = command
  const opening = Effect.gen(function*() {
    const shown = yield* openingOf(execution)
    const system = yield* systemMessages(execution, {
      knowledge: shown?.text,
      sessionState: command.add_session_state_to_context ? context.sessionState : undefined,
      outputSchema: agent.useJsonMode ? outputSchema?.shape.jsonSchema : undefined
    })
    return { shown, system }
  })
  // without a system message it fails, and later runs are shown the input
  const { shown, system } = yield* Effect.onError(
    opening,
    () => Effect.sync(() => recorder.messages.push(userMessage(execution, {})))
  )
  for (const content of system) {
    recorder.messages.push(recorder.message(agent.systemMessageRole, { content }))
  }
  recorder.messages.push(userMessage(execution, shown === undefined ? {} : { references: shown.references }))
  for (const message of EarlierMessages.historyOf(command.laterMessages, recorder.now())) {
    const { id: _, role, ...fields } = message
    recorder.messages.push(recorder.message(role, { ...fields, from_history: false }))
  }
})

const userMessage = (execution: AgentExecution, references: Pick<Message.Message, "references">) => {
  const { command: { input }, recorder } = execution
  return recorder.message("user", {
    content: userText(execution),
    ...references,
    ...mediaOf(input)
  })
}

const answerByModel = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, context, dependencies, outputSchema, recorder, replayed } = execution
  const { earlier, sections, thoughts } = yield* open(execution)
  if (replayed.turn !== undefined) {
    yield* RunApprovals.audit(dependencies.approvals, command, recorder, replayed.turn)
  }
  const loopEnd = yield* AgentLoop.run({
    ...execution,
    earlier,
    instructions: EarlierMessages.instructionsOf(command.earlier_messages),
    sections,
    thoughts
  })
  if (loopEnd._tag === "Waiting") {
    yield* SessionState.check(execution.stored, context.sessionState)
    return yield* pause(execution, loopEnd.inside)
  }
  return yield* end(execution, yield* HookedRun.after(execution, yield* contentOf(outputSchema, loopEnd.text)))
})

/** The steps before the first request, unless they are done. What is known is read at each start, and not stored. */
const open = Effect.fnUntraced(function*(execution: AgentExecution) {
  const { command, fit, models, dependencies, recorder, replayed } = execution
  const earlier = yield* earlierOf(execution)
  if (replayed.opening !== undefined) {
    return { earlier, sections: yield* sectionsOf(execution), thoughts: replayed.thoughts }
  }
  yield* openingMessages(execution)
  const sections = yield* sectionsOf(execution)
  recorder.messages.push(...replayed.input)
  replayed.input = []
  const thoughts = command.agent.reasoning
    ? yield* Reasoning.think({
      recorder,
      command,
      hooked: execution.hooked,
      models: dependencies.reasoning === undefined ? models : ModelFallback.make(dependencies.reasoning, []),
      settings: dependencies.reasoning === undefined ? command.agent.modelSettings : undefined,
      sections,
      earlier,
      fit
    })
    : []
  return { earlier, sections, thoughts }
})

const pause = Effect.fnUntraced(function*(
  { command, recorder, replayed, dependencies }: AgentExecution,
  inside: ReadonlyArray<Requirement.Requirement>
) {
  const waiting = recorder.tools.filter(ToolExecution.isPaused)
  const unknown = waiting.filter(({ outcome_unknown }) => outcome_unknown === true)
  if (unknown.length > 0 && command.agent.onUnknownOutcome === "fail") {
    return yield* new RunFailure.OutcomeUnknown({ tools: unknown.map(({ tool_name }) => tool_name) })
  }
  if (replayed.turn !== undefined) yield* RunApprovals.assignApprovalIds(command, recorder, replayed.turn)
  const stamped = recorder.tools.filter(ToolExecution.isPaused)
  recorder.requirements = yield* Requirements.of(recorder.requirements, stamped, inside)
  if (replayed.turn !== undefined) {
    yield* RunApprovals.createApproval(dependencies.approvals, command, recorder, replayed.turn)
  }
  UnfinishedRun.paused(recorder, replayed.turn)
  // the answer of a team is not complete
  if (dependencies.isLeader !== true) recorder.emit({ event: "RunContentCompleted" })
  const paused: RunEnd.Outcome = {
    _tag: "Paused",
    waiting: [...stamped, ...inside.map(({ tool_execution }) => tool_execution)]
  }
  return paused
})

/** After the answer. */
const end = Effect.fnUntraced(function*(execution: AgentExecution, content: Content) {
  const { command, context, outputSchema, recorder } = execution
  if (outputSchema !== undefined || HookedRun.isShownAtEnd(command)) {
    RunRecorder.show(recorder, { content: content.content, content_type: content.contentType })
  }
  recorder.emit({ event: "RunContentCompleted" })
  yield* HookedRun.checkAnswer(execution, content.content)
  for (const { beforeEnd } of execution.parts.toReversed()) if (beforeEnd !== undefined) yield* beforeEnd(recorder)
  yield* SessionState.check(execution.stored, context.sessionState)
  const answered: RunEnd.Outcome = { _tag: "Answered", content }
  return answered
})

/** The background jobs after an answer, which are stored with the end of the run: those of features, and the scores. */
const jobsAfter = Effect.fnUntraced(function*({ command, parts }: AgentExecution) {
  const ofParts = yield* Effect.forEach(parts, ({ jobs }) => jobs ?? Effect.succeed([]))
  return [
    ...ofParts.flat(),
    ...(isRoot(command) ? yield* OnlineScoring.after(command, command.agent.onlineScoring) : [])
  ]
})
