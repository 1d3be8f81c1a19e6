// The event and the message of an answer of the model.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Usage from "@svc-runtime/domain/Usage"
import type { Model } from "@svc-runtime/models/Model"
import { Effect } from "effect"
import * as ModelStep from "./model/ModelStep.ts"
import type { RunRecorder } from "./RunRecorder.ts"

const firstToken = ({ timeToFirstToken }: ModelStep.StepResult) =>
  timeToFirstToken === undefined ? {} : { time_to_first_token: timeToFirstToken }

/** Of a request that was answered. */
export const completed = ({ id, provider }: Model, result: ModelStep.StepResult): RunEvent.Payload => ({
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
export const noteFinish = Effect.fnUntraced(function*(
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

export const assistantMessage = (recorder: RunRecorder, result: ModelStep.StepResult, duration: number) =>
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
