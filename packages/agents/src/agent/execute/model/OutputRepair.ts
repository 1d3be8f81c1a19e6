// A second request for an answer that does not fit the output schema.
import * as RunSpan from "@svc-runtime/telemetry/RunSpan"
import { Effect, Result } from "effect"
import { Prompt } from "effect/ai"
import type { AgentCommand } from "../AgentCommand.ts"
import { toPrompt } from "../context/Conversation.ts"
import type { Replayed } from "../Replay.ts"
import type { RunRecorder } from "../RunRecorder.ts"
import type { StepResult } from "./ModelStep.ts"
import { correctionOf, cutCorrection, type OutputSchema, OutputUnchecked, valueOf } from "./StructuredOutput.ts"

interface Loop {
  readonly command: AgentCommand
  readonly outputSchema: OutputSchema | undefined
  readonly recorder: RunRecorder
  readonly replayed: Replayed
}

export interface Answer {
  readonly _tag: "Answer"
  readonly text: string
}

/**
 * Requests the answer once more, with what is wrong. It stays as it was if that request fails or calls tools, or if the
 * model or its provider has refused to answer.
 */
export const repaired = Effect.fnUntraced(function*<E extends { readonly _tag: string }>(
  { command: { agent }, outputSchema, recorder, replayed }: Loop,
  answer: Answer,
  again: (conversation: Prompt.Prompt) => Effect.Effect<{ readonly result: StepResult }, E>
) {
  if (outputSchema === undefined) return answer
  const found = yield* Effect.result(valueOf(outputSchema, answer.text))
  if (Result.isSuccess(found)) {
    if (found.success.isTakenOut) yield* RunSpan.outputRepaired("taken out")
    return answer
  }
  const { finishReason } = recorder
  if (!agent.repairOutput || finishReason === "content_filter" || found.failure instanceof OutputUnchecked) {
    return answer
  }
  const content = finishReason === "length" ? cutCorrection : correctionOf(found.failure.message)
  const correction = recorder.message("user", { content })
  const messages = [...recorder.messages.slice(-1), correction]
  recorder.messages.push(correction)
  const second = yield* Effect.result(again(Prompt.concat(replayed.conversation, toPrompt(messages))))
  if (second._tag === "Success") {
    const { calls, text } = second.success.result
    if (calls.length === 0) {
      yield* RunSpan.outputRepaired("requested again")
      return { ...answer, text }
    }
    // a call without an answer would break the history
    recorder.messages.splice(-2)
    yield* Effect.logWarning("The answer does not fit the output schema, and its correction calls tools")
    return answer
  }
  if (second.failure._tag !== "AiError" && second.failure._tag !== "RunLimitReached") {
    return yield* Effect.fail(second.failure)
  }
  recorder.messages.pop()
  yield* Effect.logWarning("The answer does not fit the output schema, and requesting it again failed", second.failure)
  return answer
})
