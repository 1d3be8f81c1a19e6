// A run as the chunks of `chat/completions`. Calls inside of the service are not shown. What a paused run waits for is
// a call of a tool.
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import { type Encoder, frame } from "../run/Encoder.ts"
import * as OneEnd from "../run/OneEnd.ts"
import { answersAgain, type RunPiece } from "../run/RunPiece.ts"
import * as OpaqueId from "./OpaqueId.ts"
import * as OpenAiError from "./OpenAiError.ts"
import * as UsageOf from "./Usage.ts"

export interface Options extends OpaqueId.ResponseAddress {
  readonly model: string
  /** Epoch seconds. */
  readonly created: number
  readonly includesUsage: boolean
}

export const done = "data: [DONE]\n\n"

const argumentsOf = (question: Question): string => JSON.stringify(Questions.argsOf(question))

export const toolCallsOf = (questions: ReadonlyArray<Question>, address: OpaqueId.RunAddress) =>
  questions.map((question) => ({
    id: OpaqueId.ofCall({ ...address, toolCallId: question.toolCallId }),
    type: "function" as const,
    function: { name: question.name, arguments: argumentsOf(question) }
  }))

/** Between the texts of different answers of the model. */
export const between = "\n\n"

export const make = ({ created, from, includesUsage, model, run_id, session_id }: Options): Encoder => {
  const common = {
    id: OpaqueId.ofCompletion({ from, run_id, session_id }),
    object: "chat.completion.chunk",
    created,
    model
  }
  let segment = 0
  let hasText = false
  let usage: Usage.Counters = {}
  let isFailed = false
  /** In a replay the run can continue behind it: in another response. */
  let isPaused = false

  const chunk = (delta: object, finish_reason: string | null = null): string =>
    frame({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })

  const failed = (failure: OpenAiError.Failure): string => {
    isFailed = true
    return frame(OpenAiError.bodyOf(failure))
  }

  const push = (piece: RunPiece): string => {
    // text cannot be taken back, and chunks have no place that says so
    if (isPaused || isFailed) return ""
    switch (piece._tag) {
      case "Resumed":
        return piece.isVoid ? failed(OpenAiError.runFailed(answersAgain)) : ""
      case "Text": {
        const separator = hasText && piece.segment !== segment ? between : ""
        segment = piece.segment
        hasText = true
        return chunk({ content: `${separator}${piece.delta}` })
      }
      case "Paused": {
        isPaused = true
        usage = piece.usage
        const tool_calls = toolCallsOf(piece.questions, { run_id, session_id })
        return chunk({ tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }) + chunk({}, "tool_calls")
      }
      case "Completed":
        usage = piece.usage
        return chunk({}, piece.finishReason ?? "stop")
      case "Failed":
        return failed(OpenAiError.runFailed(piece.message))
      case "Cancelled":
        return failed(OpenAiError.runCancelled(piece.reason))
      default:
        return ""
    }
  }

  return OneEnd.of({
    begin: chunk({ role: "assistant", content: "" }),
    push,
    isOver: () => isFailed || isPaused,
    end: () => {
      const counted = includesUsage && !isFailed ? UsageOf.ofCompletion(usage) : undefined
      return (counted === undefined ? "" : frame({ ...common, choices: [], usage: counted })) + done
    },
    broken: (message) => failed(OpenAiError.runFailed(message)) + done
  })
}
