// The calls of one model answer. A pause or a crash interrupts a turn, and the journal resumes it.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { cut, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Equal, Option, Schema } from "effect"
import type { Agent } from "../define/Agent.ts"
import type { Decision } from "./AgentJournal.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as SuspendedCall from "./calls/SuspendedCall.ts"
import type { HookFailure } from "./hooks/HookFailure.ts"
import type { RequestedCall } from "./model/ModelAnswer.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as ToolSearch from "./search/ToolSearch.ts"

export interface CallAnswer {
  readonly message: Message.Message
  /** The run ends with this result. */
  readonly isLast: boolean
}

/** The last decision on a call, with what persons have decided before about its arguments. */
export interface Decided extends Decision {
  /** The form whose values are among the arguments. They can be secrets, so the model does not get them. */
  readonly form?: Json.Value
  /** A person has changed the arguments. Those can be changed by hooks, too. */
  readonly isEdited: boolean
  /** Notes, and questions that were declined, in their order. */
  readonly noted: ReadonlyArray<Decision>
}

export interface Turn {
  /** The number of earlier requests. */
  readonly step: number
  readonly calls: ReadonlyArray<RequestedCall>
  /** The index of a call among the run's tool executions, if it is one. */
  readonly places: ReadonlyArray<number | undefined>
  /** Stand-ins for the tools of calls that the agent, its sources and the client do not offer any more. */
  readonly gone: Map<number, Tool>
  readonly answers: Map<number, CallAnswer>
  /** Calls that started before this node acquired the run, with an unknown outcome. */
  readonly begun: Set<number>
  /** What is known of them, for a person. */
  readonly unknown: Map<number, string>
  /** Calls that started in this execution. */
  readonly started: Set<number>
  readonly decisions: Map<number, Decided>
  /** The calls whose hooks before the call were called, with the result that a hook has given. */
  readonly hooked: Map<number, string | undefined>
  /** Of hooks after calls, by call. */
  readonly failures: Map<number, HookFailure>
  /** The calls that a person confirms because of their arguments. */
  readonly asking: Set<number>
  /** Of the results of calls. */
  readonly media: Map<number, ReadonlyArray<Media.File>>
  /** Calls that wait for a time. */
  readonly waiting: Set<number>
  /** The requirements of nested runs, by call. */
  readonly inside: Map<number, ReadonlyArray<Requirement.Requirement>>
}

const asJson = Schema.decodeUnknownOption(Schema.Json)

/**
 * Models send missing arguments in many forms, and sometimes text that is not JSON. The tool then reports the mistake.
 */
export const argumentsOf = (input: unknown): Json.Value => {
  if (typeof input !== "string") return Option.getOrNull(asJson(input)) ?? {}
  return input.trim() === "" ? {} : Option.getOrElse(Json.parseInput(input), () => input) ?? {}
}

/** The arguments as stored. */
export const jsonOf = (input: unknown): Json.Value =>
  typeof input === "string" ? input : Option.getOrNull(asJson(input)) ?? {}

/** A function of the author gets the refusal with the note, and decides what the model reads. */
export const isToFunction = ({ asked: question, declined }: Decision): boolean =>
  declined === true && question !== undefined && SuspendedCall.keyIn(question.state) !== undefined

const isNoted = ({ confirmed, declined, note }: Decision): boolean =>
  (note !== undefined || declined === true) && confirmed !== false

/**
 * The arguments of a call are the last that a person has decided, whatever is decided about it after that: that it
 * wakes up, what its question is answered, or that it is repeated.
 */
export const decide = ({ calls, decisions }: Pick<Turn, "calls" | "decisions">, decision: Decision): void => {
  const before: Partial<Decided> = decisions.get(decision.call) ?? {}
  const { confirmed, form: former, isEdited = false, noted = [], tool_args } = before
  // the values for a call that asks are no arguments
  const form = (decision.asked === undefined ? decision.user_input_schema : undefined) ?? former
  decisions.set(decision.call, {
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(tool_args === undefined ? {} : { tool_args }),
    ...(form === undefined ? {} : { form }),
    ...decision,
    isEdited: decision.tool_args === undefined
      ? isEdited
      : form === undefined && !Equal.equals(decision.tool_args, argumentsOf(calls[decision.call]?.input)),
    noted: isNoted(decision) ? [...noted, decision] : noted
  })
}

const argumentsLine = ({ isEdited, tool_args }: Decided, { input }: RequestedCall): ReadonlyArray<string> =>
  !isEdited || Equal.equals(tool_args, argumentsOf(input))
    ? []
    : [`(A person has changed the arguments of this call to ${JSON.stringify(tool_args)}.)`]

const noteLine = (note = ""): ReadonlyArray<string> =>
  note === "" ? [] : [`(A person has added a note to this call: ${JSON.stringify(note)}.)`]

const declinedLine = ({ declined }: Decision): ReadonlyArray<string> =>
  declined === true ? ["(A person has declined the question of this call.)"] : []

/** In bytes, as results of tools by default: a call can ask often, and gets a note each time. */
const maxShown = defaultByteLimits.toolResult

/**
 * What the model reads before the result of a call: what persons have decided about it. The model sees its call as it
 * has made it. The result of a call that is not made has the reason of that.
 */
export const shownBefore = (
  { calls, decisions, gone }: Pick<Turn, "calls" | "decisions"> & Partial<Pick<Turn, "gone">>,
  index: number
): Pick<ToolExecution.ToolExecution, "before_result"> => {
  const [call, decision] = [calls[index], decisions.get(index)]
  if (call === undefined || decision === undefined) return {}
  // a function that is gone has not got its refusal
  const noted = decision.noted.filter((each) => gone?.has(index) === true || !isToFunction(each))
    .map((each) => [...declinedLine(each), ...noteLine(each.note)].join("\n"))
  const lines = [...argumentsLine(decision, call), ...new Set(noted.filter((each) => each !== ""))]
  return lines.length === 0 ? {} : { before_result: cut(lines.join("\n"), maxShown, "of all decisions") }
}

/** Undefined for a call that is not executed: an unknown tool, or the limit is reached. */
export const toolOf = (agent: Agent, { calls, gone, places }: Turn, index: number): Tool | undefined => {
  const call = places[index] === undefined ? undefined : calls[index]
  return call && (gone.get(index) ?? SourceTools.toolOf(agent, call))
}

/** Counts the call. Undefined if it may be made. */
const limitReached = (
  { maxCalls = Number.POSITIVE_INFINITY, name }: { readonly name: string; readonly maxCalls?: number | undefined },
  called: Map<string, number>
): string | undefined => {
  const calls = called.get(name) ?? 0
  if (calls >= maxCalls) return `Not called: '${name}' can be called ${maxCalls} times in a run (maxCalls)`
  called.set(name, calls + 1)
  return undefined
}

const unknownTool = ({ deferred, tools }: Agent, name: string): string => {
  if (deferred !== undefined) return `There is no tool '${name}'. Find the right one with ${ToolSearch.toolName}`
  const known = tools.size === 0 ? "There are no tools" : `Known tools: ${[...tools.keys()].join(", ")}`
  return `There is no tool '${name}'. ${known}`
}

const refusalOf = (agent: Agent, name: string): string =>
  agent.tools.has(name) ? "Not called: the limit of tool calls for this run is reached" : unknownTool(agent, name)

/** Answers a call that is not executed. */
export const refuse = (recorder: RunRecorder, call: RequestedCall, content: string): CallAnswer => ({
  message: recorder.message("tool", {
    content,
    tool_call_id: call.id,
    tool_name: call.name,
    tool_args: argumentsOf(call.input),
    tool_call_error: true
  }),
  isLast: false
})

/** Undefined: the arguments are whole. */
const cutCall = ({ input, name }: RequestedCall): string | undefined =>
  typeof argumentsOf(input) === "string"
    ? `Not called: your answer was cut off at its token limit, so the arguments of '${name}' are incomplete. ` +
      "Call it again with shorter arguments, or split them over several calls"
    : undefined

export interface Opening extends Pick<Turn, "step" | "calls"> {
  /** The remaining calls of the run. */
  readonly remaining: number
  /** The calls that the journal has as begun, decided or answered: they stay, whatever the agent offers by now. */
  readonly known?: ReadonlySet<number> | undefined
  /** The answer was cut off at its token limit. */
  readonly isCut?: boolean | undefined
  readonly created_at: number
  /** How often the run has called each tool. Those of the turn are added. */
  readonly called: Map<string, number>
}

export const open = (
  agent: Agent,
  recorder: RunRecorder,
  { called, calls, created_at, isCut = false, known, remaining, step }: Opening
): Turn => {
  const answers = new Map<number, CallAnswer>()
  const gone = new Map<number, Tool>()
  /** Why the call is not made. */
  const refusal = (call: RequestedCall, index: number): string | undefined => {
    if (known?.has(index) === true) {
      const offered = SourceTools.offered(agent, call)
      limitReached(offered ?? call, called)
      if (offered === undefined) gone.set(index, SourceTools.standIn(agent, call))
      return undefined
    }
    const tool = SourceTools.toolOf(agent, call)
    if (tool === undefined || index >= remaining) return refusalOf(agent, call.name)
    return (isCut ? cutCall(call) : undefined) ?? limitReached(tool, called)
  }
  const places = calls.map((call, index) => {
    const reason = refusal(call, index)
    if (reason !== undefined) {
      answers.set(index, refuse(recorder, call, reason))
      return undefined
    }
    const requested = {
      tool_call_id: call.id,
      tool_name: call.name,
      tool_args: argumentsOf(call.input),
      created_at,
      ...SourceTools.sourceOf(call)
    }
    return recorder.tools.push(ToolExecution.requested(requested)) - 1
  })
  return {
    step,
    calls,
    places,
    gone,
    answers,
    begun: new Set(),
    started: new Set(),
    decisions: new Map(),
    hooked: new Map(),
    failures: new Map(),
    asking: new Set(),
    media: new Map(),
    waiting: new Set(),
    inside: new Map(),
    unknown: new Map()
  }
}

export const isConfirmed = ({ asking }: Turn, index: number, { requiresConfirmation }: Tool): boolean =>
  requiresConfirmation || asking.has(index)

/** Whether the call needs a decision first. */
export const needsPerson = (turn: Turn, index: number, tool: Tool): boolean =>
  isConfirmed(turn, index, tool) || tool.externalExecution || tool.userInputFields !== undefined

export const setTool = (
  { tools }: RunRecorder,
  { places }: Turn,
  index: number,
  change: (tool: ToolExecution.ToolExecution) => ToolExecution.ToolExecution
): void => {
  const place = places[index]
  const tool = place === undefined ? undefined : tools[place]
  if (place !== undefined && tool !== undefined) tools[place] = change(tool)
}

/** The calls of a turn that need no decision. */
export const immediate = (agent: Agent, turn: Turn): ReadonlyArray<number> =>
  turn.calls.flatMap((_, index) => {
    const tool = toolOf(agent, turn, index)
    return tool === undefined || turn.answers.has(index) || needsPerson(turn, index, tool) ? [] : [index]
  })

/** Also of a call that a person has decided on. */
export const setArguments = (recorder: RunRecorder, turn: Turn, index: number, tool_args: Json.Value): void => {
  setTool(recorder, turn, index, (tool) => ({ ...tool, tool_args }))
  const decision = turn.decisions.get(index)
  if (decision?.tool_args !== undefined) turn.decisions.set(index, { ...decision, tool_args })
}
