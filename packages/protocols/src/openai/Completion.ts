// An ended or paused run as the response of `chat/completions`.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Questions from "../pause/Questions.ts"
import { textOf } from "../run/RunPiece.ts"
import * as CompletionStream from "./CompletionStream.ts"
import * as UsageOf from "./Usage.ts"

/** `counted` is the usage that an earlier response of the run had. */
export const of = (run: AnyRun.Output, model: string, counted?: Usage.RunMetrics): object => {
  const { created_at, run_id, session_id } = run
  const isPaused = run.status === "PAUSED"
  const tool_calls = isPaused ? CompletionStream.toolCallsOf(Questions.of(run), { run_id, session_id }) : []
  const message = {
    role: "assistant",
    content: isPaused ? null : textOf(run.content),
    refusal: null,
    ...(tool_calls.length === 0 ? {} : { tool_calls })
  }
  const finish_reason = isPaused ? "tool_calls" : ("finish_reason" in run ? run.finish_reason : undefined) ?? "stop"
  return {
    id: `chatcmpl-${run_id}`,
    object: "chat.completion",
    created: created_at,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: UsageOf.ofCompletion(Usage.since(counted, AnyRun.usageOf(run)))
  }
}
