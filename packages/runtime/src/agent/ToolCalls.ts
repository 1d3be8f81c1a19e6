// Executes the tool calls of one model request, side by side, and answers each of them. Whatever happens to a call, the
// model gets an answer to it: providers refuse a conversation with an open call.
import { type Json, type Message, ToolExecution } from "@svc/domain"
import { Effect, Option, Predicate, Result, Schema } from "effect"
import type { Tool } from "../tool/Tool.ts"
import type { Agent } from "./Agent.ts"
import type { RequestedCall } from "./ModelAnswer.ts"
import type { RunContext } from "./RunContext.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as Text from "./Text.ts"

const jsonText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))
const asJson = Schema.decodeUnknownOption(Schema.Json)

/**
 * A model may say that there are no arguments in many ways, and it may send text that is no JSON. Then the tool says what
 * is wrong with it.
 */
const argumentsOf = (input: unknown): Json.Value => {
  if (typeof input !== "string") return Option.getOrNull(asJson(input)) ?? {}
  return input.trim() === "" ? {} : Option.getOrElse(jsonText(input), () => input) ?? {}
}

const callLine = (name: string, args: Json.Value): string => {
  const pairs = Predicate.isObject(args)
    ? Object.entries(args as Json.Object).map(([key, value]) => `${key}=${Text.ofJson(value)}`)
    : [Text.ofJson(args)]
  return `${name}(${pairs.join(", ")})`
}

/** The run that calls. */
export interface Caller {
  readonly recorder: RunRecorder
  readonly agent: Agent
  readonly context: RunContext
}

interface Answered {
  readonly message: Message.Message
  /** The run ends with this result. */
  readonly isLast: boolean
}

const refuse = (recorder: RunRecorder, call: RequestedCall, content: string): Answered => ({
  message: recorder.message("tool", {
    content,
    tool_call_id: call.id,
    tool_name: call.name,
    tool_args: argumentsOf(call.input),
    tool_call_error: true
  }),
  isLast: false
})

const execute = Effect.fnUntraced(function*({ context, recorder }: Caller, tool: Tool, call: RequestedCall) {
  const args = argumentsOf(call.input)
  const index = recorder.tools.length
  const execution = ToolExecution.requested({
    tool_call_id: call.id,
    tool_name: call.name,
    tool_args: args,
    created_at: recorder.now()
  })
  recorder.tools.push(execution)
  recorder.emit({ event: "ToolCallStarted", tool: execution })
  const startTime = recorder.preciseNow()
  const startedAt = recorder.elapsed()
  const outcome = yield* Effect.result(tool.call(args, { ...context, toolCallId: call.id }))
  const duration = recorder.elapsed() - startedAt
  const written = Result.flatMap(outcome, Text.ofResult)
  const isFailure = Result.isFailure(written)
  const result = isFailure ? written.failure.message : written.success
  const done: ToolExecution.ToolExecution = {
    ...execution,
    tool_call_error: isFailure,
    result,
    metrics: { start_time: startTime, end_time: startTime + duration, duration },
    stop_after_tool_call: tool.stopAfterCall
  }
  recorder.tools[index] = done
  recorder.emit({
    event: "ToolCallCompleted",
    content: `${callLine(call.name, args)} completed in ${duration.toFixed(4)}s. `,
    tool: done
  })
  if (isFailure) recorder.emit({ event: "ToolCallError", tool: done, error: result })
  return {
    message: recorder.message("tool", {
      content: result,
      tool_call_id: call.id,
      tool_name: call.name,
      tool_args: args,
      tool_call_error: isFailure,
      stop_after_tool_call: tool.stopAfterCall
    }),
    isLast: tool.stopAfterCall && !isFailure
  } satisfies Answered
})

export interface Answers {
  /** In the order of the calls. */
  readonly messages: ReadonlyArray<Message.Message>
  /** The answer of the run, when a tool has given it. */
  readonly last: string | undefined
}

const unknownTool = ({ tools }: Agent, name: string): string => {
  const known = tools.size === 0 ? "There are no tools" : `Known tools: ${[...tools.keys()].join(", ")}`
  return `There is no tool '${name}'. ${known}`
}

/** `remaining` is how many calls the run may still make. */
export const answer = Effect.fnUntraced(function*(
  caller: Caller,
  calls: ReadonlyArray<RequestedCall>,
  remaining: number
) {
  const { agent, recorder } = caller
  const answers = yield* Effect.forEach(calls, (call, index) => {
    const tool = agent.tools.get(call.name)
    if (tool === undefined) return Effect.succeed(refuse(recorder, call, unknownTool(agent, call.name)))
    if (index >= remaining) {
      return Effect.succeed(refuse(recorder, call, "Not called: the limit of tool calls for this run is reached"))
    }
    return execute(caller, tool, call)
  }, { concurrency: "unbounded" })
  const last = answers.filter(({ isLast }) => isLast)
  const result: Answers = {
    messages: answers.map(({ message }) => message),
    last: last.length === 0 ? undefined : last.map(({ message }) => message.content).join("\n")
  }
  return result
})
