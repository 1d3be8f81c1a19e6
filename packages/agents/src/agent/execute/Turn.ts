// The calls of one model answer. A pause or a crash interrupts a turn, and the journal resumes it.
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Option, Schema } from "effect"
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
  /** What the model is shown before the result, in this order: notes, and questions that were declined. */
  readonly shown: ReadonlyArray<Decision>
}

export interface Turn {
  /** The number of earlier requests. */
  readonly step: number
  readonly calls: ReadonlyArray<RequestedCall>
  /** The remaining calls of the run. */
  readonly remaining: number
  /** The index of a call among the run's tool executions, if it is one. */
  readonly places: ReadonlyArray<number | undefined>
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

const isShown = (decision: Decision): boolean =>
  (decision.note !== undefined || decision.declined === true) && decision.confirmed !== false && !isToFunction(decision)

/**
 * The arguments of a call are the last that a person has decided, whatever is decided about it after that: that it
 * wakes up, what its question is answered, or that it is repeated.
 */
export const decide = ({ decisions }: Turn, decision: Decision): void => {
  const { confirmed, form: former, shown = [], tool_args }: Partial<Decided> = decisions.get(decision.call) ?? {}
  // the values for a call that asks are no arguments
  const form = (decision.asked === undefined ? decision.user_input_schema : undefined) ?? former
  decisions.set(decision.call, {
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(tool_args === undefined ? {} : { tool_args }),
    ...(form === undefined ? {} : { form }),
    ...decision,
    shown: isShown(decision) ? [...shown, decision] : shown
  })
}

/** Undefined for a call that is not executed: an unknown tool, or the limit is reached. */
export const toolOf = (agent: Agent, { calls, remaining }: Pick<Turn, "calls" | "remaining">, index: number) => {
  const call = index < remaining ? calls[index] : undefined
  return call && SourceTools.toolOf(agent, call)
}

/** Counts the call. Undefined if it may be made. */
const limitReached = (
  { maxCalls = Number.POSITIVE_INFINITY, name }: Tool,
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

export interface Opening extends Pick<Turn, "step" | "calls" | "remaining"> {
  /** The answer was cut off at its token limit. */
  readonly isCut?: boolean | undefined
  readonly created_at: number
  /** How often the run has called each tool. Those of the turn are added. */
  readonly called: Map<string, number>
}

export const open = (
  agent: Agent,
  recorder: RunRecorder,
  { called, calls, created_at, isCut = false, remaining, step }: Opening
): Turn => {
  const answers = new Map<number, CallAnswer>()
  const places = calls.map((call, index) => {
    const tool = toolOf(agent, { calls, remaining }, index)
    const reason = tool === undefined
      ? refusalOf(agent, call.name)
      : (isCut ? cutCall(call) : undefined) ?? limitReached(tool, called)
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
    remaining,
    places,
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
