// An ended or paused run as the response of `chat/completions`.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Questions from "../pause/Questions.ts"
import { type Paused, type RunPiece, textOf } from "../run/RunPiece.ts"
import * as CompletionStream from "./CompletionStream.ts"
import * as OpaqueId from "./OpaqueId.ts"
import * as UsageOf from "./Usage.ts"

export interface Shown {
  readonly push: (piece: RunPiece) => void
  readonly text: () => string
  /** Its end, if it asks for calls. The run can have continued since, in another response. */
  readonly paused: () => Paused | undefined
}

/** The response as a stream shows it, without the text of answers that broke off. */
export const shown = (): Shown => {
  const segments = new Map<number, string>()
  let last = 0
  let paused: Paused | undefined
  return {
    push: (piece) => {
      if (paused !== undefined) return
      if (piece._tag === "Paused") paused = piece
      if (piece._tag === "Resumed" && piece.isVoid) segments.delete(last)
      if (piece._tag !== "Text") return
      last = piece.segment
      segments.set(last, (segments.get(last) ?? "") + piece.delta)
    },
    text: () => [...segments.values()].join(CompletionStream.between),
    paused: () => paused
  }
}

export interface Described {
  readonly model: string
  /** Of the response of a run that was continued: the index of its first event. */
  readonly from: number | undefined
  /** The usage that an earlier response of the run had. */
  readonly counted: Usage.RunMetrics | undefined
  readonly paused: Paused | undefined
  /** What the model wrote before calls of the client. */
  readonly text: string
}

export const of = (run: AnyRun.Output, { counted, from, model, paused, text }: Described): object => {
  const { created_at, run_id, session_id } = run
  const waiting = run.status === "PAUSED" ? Questions.of(run) : undefined
  const questions = paused?.questions ?? waiting
  const isPaused = questions !== undefined
  const tool_calls = isPaused ? CompletionStream.toolCallsOf(questions, { run_id, session_id }) : []
  const hasContinued = paused !== undefined && waiting?.[0]?.id !== questions?.[0]?.id
  const message = {
    role: "assistant",
    content: isPaused ? (text === "" ? null : text) : textOf(run.content),
    refusal: null,
    ...(tool_calls.length === 0 ? {} : { tool_calls })
  }
  const finish_reason = isPaused ? "tool_calls" : ("finish_reason" in run ? run.finish_reason : undefined) ?? "stop"
  return {
    id: OpaqueId.ofCompletion({ from, run_id, session_id }),
    object: "chat.completion",
    created: created_at,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: UsageOf.ofCompletion(hasContinued ? paused.usage : Usage.since(counted, AnyRun.usageOf(run)))
  }
}
