// Executes the tool calls of one model request, side by side, and answers each of them. Whatever happens to a call, the
// model gets an answer to it: providers refuse a conversation with an open call.
import { type Message, ToolExecution } from "@svc/domain"
import { Effect, Predicate, Schema } from "effect"
import type { Tool, ToolFailed } from "../tool/Tool.ts"
import type { Agent } from "./Agent.ts"
import type { RequestedCall } from "./ModelStep.ts"
import type { RunContext } from "./RunContext.ts"
import { type RunRecorder, toText } from "./RunRecorder.ts"

const jsonText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))
const asJson = Schema.decodeUnknownOption(Schema.Json)

/** A model may send its arguments as text that is no JSON. Then the tool says what is wrong with them. */
const argumentsOf = (input: unknown): Schema.Json => {
  const parsed = typeof input === "string" ? jsonText(input) : asJson(input)
  return parsed._tag === "Some" ? parsed.value : typeof input === "string" ? input : {}
}

const callLine = (name: string, args: Schema.Json): string => {
  const pairs = Predicate.isObject(args) && !Array.isArray(args)
    ? Object.entries(args).map(([key, value]) => `${key}=${toText(value)}`)
    : [toText(args)]
  return `${name}(${pairs.join(", ")})`
}

interface Answered {
  readonly message: Message.Message
  readonly stop: boolean
}

const refuse = (recorder: RunRecorder, call: RequestedCall, content: string): Answered => ({
  message: recorder.message("tool", {
    content,
    tool_call_id: call.id,
    tool_name: call.name,
    tool_args: argumentsOf(call.input),
    tool_call_error: true
  }),
  stop: false
})

const execute = Effect.fnUntraced(function*(
  recorder: RunRecorder,
  tool: Tool,
  call: RequestedCall,
  context: RunContext
) {
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
  const failure: ToolFailed | undefined = outcome._tag === "Failure" ? outcome.failure : undefined
  const result = outcome._tag === "Success" ? toText(outcome.success) : outcome.failure.message
  const done: ToolExecution.ToolExecution = {
    ...execution,
    tool_call_error: failure !== undefined,
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
  if (failure !== undefined) recorder.emit({ event: "ToolCallError", tool: done, error: result })
  return {
    message: recorder.message("tool", {
      content: result,
      tool_call_id: call.id,
      tool_name: call.name,
      tool_args: args,
      tool_call_error: failure !== undefined,
      ...(tool.stopAfterCall ? { stop_after_tool_call: true } : {})
    }),
    stop: tool.stopAfterCall && failure === undefined
  } satisfies Answered
})

export interface Answers {
  /** In the order of the calls. */
  readonly messages: ReadonlyArray<Message.Message>
  /** A tool has asked that the run ends with its result. */
  readonly stop: boolean
}

/** `remaining` is how many calls the run may still make. */
export const answer = Effect.fnUntraced(function*(
  recorder: RunRecorder,
  agent: Agent,
  calls: ReadonlyArray<RequestedCall>,
  context: RunContext,
  remaining: number
) {
  const answers = yield* Effect.forEach(calls, (call, index) => {
    const tool = agent.tools.get(call.name)
    if (tool === undefined) {
      const known = [...agent.tools.keys()].join(", ")
      return Effect.succeed(refuse(recorder, call, `There is no tool '${call.name}'. Known tools: ${known}`))
    }
    if (index >= remaining) {
      return Effect.succeed(refuse(recorder, call, "Not called: the limit of tool calls for this run is reached"))
    }
    return execute(recorder, tool, call, context)
  }, { concurrency: "unbounded" })
  const result: Answers = {
    messages: answers.map(({ message }) => message),
    stop: answers.some(({ stop }) => stop)
  }
  return result
})
