// Replays the journal of a run into its recorder.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import { Prompt } from "effect/ai"
import type { Agent } from "../define/Agent.ts"
import type { Answered, Based, DecisionsEntry, Entry, Hooked, ModelTurn } from "./AgentJournal.ts"
import * as ProviderCalls from "./calls/ProviderCalls.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as ToolSampling from "./calls/ToolSampling.ts"
import { mediaOf, toPrompt } from "./context/Conversation.ts"
import { restored } from "./hooks/HookFailure.ts"
import { addUsage, type RunRecorder } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

export interface Replayed {
  /** Whether each batch of tool results ends with a checkpoint. */
  readonly isMarking: boolean
  /** The messages of the start. Undefined before the start. */
  opening: ReadonlyArray<Message.Message> | undefined
  thoughts: ReadonlyArray<Message.Message>
  /** The messages after the start and before the current turn, as the model gets them. */
  conversation: Prompt.Prompt
  /** The number of finished requests and of their calls. */
  requests: number
  calls: number
  /** The number of calls of each tool. */
  readonly called: Map<string, number>
  turn: Turn.Turn | undefined
  /** The content of the input after the hooks. Undefined: as it was sent. */
  changedInput: Json.Value | undefined
  /** Input of a person that the model has not seen yet. */
  input: ReadonlyArray<Message.Message>
}

export const none = ({ checkpoint }: Pick<Agent, "checkpoint">): Replayed => ({
  isMarking: checkpoint === "tool-batch",
  opening: undefined,
  thoughts: [],
  conversation: Prompt.empty,
  requests: 0,
  calls: 0,
  called: new Map(),
  turn: undefined,
  changedInput: undefined,
  input: []
})

interface Replaying {
  readonly agent: Agent
  readonly recorder: RunRecorder
  readonly attempt: number
  readonly state: Replayed
}

const restoreFigures = (recorder: RunRecorder, { figures }: ModelTurn) => {
  recorder.usage = figures.usage
  recorder.details = figures.details
  recorder.timeToFirstToken = figures.time_to_first_token
  recorder.earlier = figures.elapsed
  recorder.reasoning = figures.reasoning
  recorder.reasoningSteps.splice(0, recorder.reasoningSteps.length, ...figures.reasoning_steps)
  recorder.files.splice(0, recorder.files.length, ...figures.files)
  recorder.citations = figures.citations
}

/** The answers of a turn, in the order of its calls. Undefined if one is missing. */
export const answersOf = ({ answers, calls }: Turn.Turn): ReadonlyArray<Turn.CallAnswer> | undefined => {
  const all = calls.flatMap((_, index) => answers.get(index) ?? [])
  return all.length === calls.length ? all : undefined
}

/** The last result of a batch is a checkpoint. */
const marked = (batch: ReadonlyArray<Message.Message>): ReadonlyArray<Message.Message> =>
  batch.map((message, place) =>
    place < batch.length - 1
      ? message
      : { ...message, checkpoint_status: "RUNNING", checkpoint_created_at: message.created_at }
  )

/** A turn becomes part of the conversation when all its calls are answered. */
export const close = (recorder: RunRecorder, state: Replayed, turn: Turn.Turn): void => {
  const answers = (answersOf(turn) ?? []).map(({ message }) => message)
  const messages = [...(state.isMarking ? marked(answers) : answers), ...state.input]
  recorder.messages.push(...messages)
  state.conversation = Prompt.concat(state.conversation, toPrompt(messages))
  state.turn = undefined
  state.input = []
}

/** The calls of an answer of the model that have begun, are decided or have a result. `place`: of the answer. */
const knownIn = ({ begun }: ModelTurn, entries: ReadonlyArray<Entry>, place: number): ReadonlySet<number> => {
  const known = new Set(begun)
  for (let index = place + 1; index < entries.length; index++) {
    const entry = entries[index]
    if (entry === undefined || entry.kind === "asked") break
    if (entry.kind === "answered") known.add(entry.call)
    if (entry.kind !== "resolved") continue
    for (const call of entry.begun ?? []) known.add(call)
    for (const { call } of entry.decisions) known.add(call)
  }
  return known
}

const replayModelTurn = (
  { agent, recorder, state }: Replaying,
  entry: ModelTurn,
  known: ReadonlySet<number>
) => {
  if (state.turn !== undefined) close(recorder, state, state.turn)
  if (state.opening === undefined) {
    state.opening = entry.before
    recorder.messages.push(...entry.before)
  }
  if (entry.thoughts.length > 0) state.thoughts = entry.thoughts
  recorder.messages.push(entry.message)
  restoreFigures(recorder, entry)
  state.conversation = Prompt.concat(state.conversation, ProviderCalls.sendable(entry.said))
  const remaining = (agent.toolCallLimit ?? Number.POSITIVE_INFINITY) - state.calls
  const { calls, message: { created_at } } = entry
  recorder.tools.push(...ProviderCalls.of(entry.said, created_at))
  state.turn = Turn.open(agent, recorder, {
    step: state.requests,
    calls,
    remaining,
    called: state.called,
    created_at,
    known,
    isCut: entry.is_cut
  })
  state.requests++
  state.calls += calls.length
  for (const index of entry.begun) state.turn.begun.add(index)
  for (const { call, result } of entry.hooked ?? []) state.turn.hooked.set(call, result)
  for (const index of calls.keys()) {
    const isAsking = Turn.toolOf(agent, state.turn, index)?.confirms !== undefined && !entry.begun.includes(index)
    if (isAsking) state.turn.asking.add(index)
  }
}

const replayToolResult = (
  { recorder, state: { turn } }: Replaying,
  { call, failure, is_last, media = [], message, tool }: Answered
) => {
  if (turn === undefined) return
  if (failure !== undefined) turn.failures.set(call, restored(failure))
  turn.answers.set(call, { message, isLast: is_last })
  recorder.files.push(...media)
  turn.begun.delete(call)
  Turn.setTool(recorder, turn, call, () => tool)
}

const replayDecisions = ({ attempt, recorder, state }: Replaying, entry: DecisionsEntry) => {
  recorder.requirements = entry.requirements
  const { turn } = state
  for (const decision of entry.decisions) {
    if (turn === undefined) break
    const { call } = decision
    const standIn = turn.gone.get(call)
    // it is not known whether a tool that is gone marks the start of its calls
    const hasBegun = standIn === undefined
      ? entry.marks_begun !== true && entry.attempt !== attempt
      : turn.begun.has(call) || decision.asked !== undefined || entry.attempt !== attempt
    if (standIn !== undefined && !turn.decisions.has(call)) {
      const decided = entry.requirements.find((each) => each.tool_execution.tool_call_id === turn.calls[call]?.id)
      if (decided !== undefined) turn.gone.set(call, SourceTools.askedAs(standIn, decided.tool_execution))
    }
    if (hasBegun) turn.begun.add(call)
    else turn.begun.delete(call)
    Turn.decide(turn, decision)
  }
  for (const call of entry.begun ?? []) turn?.begun.add(call)
  if (entry.input === undefined) return
  const message = recorder.message("user", { content: entry.input, ...mediaOf(entry.media ?? {}) })
  // it follows the answers of the open calls, or the start
  if (turn !== undefined || state.opening === undefined) state.input = [...state.input, message]
  else {
    recorder.messages.push(message)
    state.conversation = Prompt.concat(state.conversation, toPrompt([message]))
  }
}

const replayHooks = ({ recorder, state }: Replaying, { calls = [], input }: Hooked) => {
  if (input !== undefined) state.changedInput = input
  const { turn } = state
  if (turn === undefined) return
  for (const { call, result, tool_args = turn.decisions.get(call)?.tool_args } of calls) {
    turn.hooked.set(call, result)
    if (tool_args !== undefined) Turn.setArguments(recorder, turn, call, tool_args)
  }
}

const based = ({ recorder, state }: Replaying, { messages, origin, tools }: Based) => {
  recorder.origin = origin
  state.opening = messages
  recorder.messages.push(...messages)
  recorder.tools.push(...tools)
}

export const replay = (
  agent: Agent,
  recorder: RunRecorder,
  attempt: number,
  entries: ReadonlyArray<Entry>
): Replayed => {
  const replaying: Replaying = { agent, recorder, attempt, state: none(agent) }
  for (const [place, entry] of entries.entries()) {
    switch (entry.kind) {
      case "asked":
        replayModelTurn(replaying, entry, knownIn(entry, entries, place))
        break
      case "answered":
        replayToolResult(replaying, entry)
        break
      case "resolved":
        replayDecisions(replaying, entry)
        break
      case "hooked":
        replayHooks(replaying, entry)
        break
      case "sampled":
        addUsage(recorder, ToolSampling.role, entry.model, entry.usage)
        break
      case "based":
        based(replaying, entry)
        break
    }
  }
  return replaying.state
}
