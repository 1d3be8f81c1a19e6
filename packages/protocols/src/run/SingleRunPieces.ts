// The pieces of one run, without the runs inside of it.
import * as AnswerRestarts from "@svc-runtime/domain/AnswerRestarts"
import * as CustomEvent from "@svc-runtime/domain/CustomEvent"
import type * as Json from "@svc-runtime/domain/Json"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type * as Usage from "@svc-runtime/domain/Usage"
import * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Questions from "../pause/Questions.ts"
import { type AnyMedium, type RunPiece, textOf } from "./RunPiece.ts"

export interface SingleRunPieces {
  readonly push: (event: RunEvent.RunEvent) => ReadonlyArray<RunPiece>
  /** The next text is of another answer. */
  readonly endAnswer: () => void
}

interface WithMedia {
  readonly images?: ReadonlyArray<Extract<AnyMedium, { kind: "image" }>["medium"]>
  readonly audio?: ReadonlyArray<Extract<AnyMedium, { kind: "audio" }>["medium"]>
  readonly videos?: ReadonlyArray<Extract<AnyMedium, { kind: "video" }>["medium"]>
  readonly files?: ReadonlyArray<Extract<AnyMedium, { kind: "file" }>["medium"]>
  readonly response_audio?: Extract<AnyMedium, { kind: "audio" }>["medium"]
}

const mediaOf = (
  { audio = [], files = [], images = [], response_audio, videos = [] }: WithMedia
): ReadonlyArray<AnyMedium> => [
  ...images.map((medium) => ({ kind: "image", medium }) as const),
  ...[...response_audio === undefined ? [] : [response_audio], ...audio].map((medium) =>
    ({ kind: "audio", medium }) as const
  ),
  ...videos.map((medium) => ({ kind: "video", medium }) as const),
  ...files.map((medium) => ({ kind: "file", medium }) as const)
]

const nameIn = ({ name }: Json.Object): string => typeof name === "string" && name !== "" ? name : "CustomEvent"

const ended = (
  event: RunEvent.RunEvent,
  { confirmed, result, tool_call_error, tool_call_id, tool_name }: ToolExecution.ToolExecution
): RunPiece => ({
  _tag: "ToolCallEnded",
  event,
  id: tool_call_id,
  name: tool_name,
  result: result ?? "",
  isError: tool_call_error === true,
  isRejected: confirmed === false
})

const stepOf = ({ step_id = "", step_name = "" }: { readonly step_id?: string; readonly step_name?: string }) => ({
  id: step_id,
  name: step_name
})

/** Reasoning continues behind these. */
const keepsReasoning: ReadonlySet<RunPiece["_tag"]> = new Set(["Other", "Blank", "ReasoningStarted"])

/** What the runs of one stream share. */
export interface Shared {
  /** The runs inside that wait for a person: the call that started one has no result yet. */
  readonly paused: Set<string>
  /** Of all requests to models. */
  usage: Usage.Counters
}

export const make = (shared: Shared): SingleRunPieces => {
  const isRestart = AnswerRestarts.make()
  let segment = 0
  /** The text of the last segment that has any. */
  let shown = ""
  /** Whether the model is answering in the last segment. */
  let isAnswering = false
  let isReasoning = false
  /** The reasoning steps that were shown, as Markdown. */
  let thoughts = ""

  /** A stream without requests to models is the last event of a stored run. */
  const usageOf = (metrics: Usage.RunMetrics): Usage.Counters =>
    Object.keys(shared.usage).length === 0 ? metrics : shared.usage

  const text = (event: RunEvent.RunEvent, delta: string): RunPiece => {
    if (!isAnswering) {
      if (shown !== "") segment++
      shown = ""
      isAnswering = true
    }
    shown += delta
    return { _tag: "Text", event, delta, segment }
  }

  const reasoning = (event: RunEvent.RunEvent, delta: string): ReadonlyArray<RunPiece> => {
    const piece: RunPiece = { _tag: "Reasoning", event, delta }
    if (isReasoning) return [piece]
    isReasoning = true
    return [{ _tag: "ReasoningStarted", event }, piece]
  }

  const closeReasoning = (event: RunEvent.RunEvent): ReadonlyArray<RunPiece> => {
    if (!isReasoning) return []
    isReasoning = false
    return [{ _tag: "ReasoningEnded", event }]
  }

  /** The answer, if it was not shown while it was made. */
  const rest = (event: RunEvent.RunEvent, whole: string): ReadonlyArray<RunPiece> => {
    if (whole === "" || whole === shown) return []
    isAnswering = false
    return [text(event, whole)]
  }

  const piecesOf = (event: RunEvent.RunEvent, isVoid: AnswerRestarts.Void | undefined): ReadonlyArray<RunPiece> => {
    switch (event.event) {
      case "RunStarted":
      case "TeamRunStarted":
      case "WorkflowStarted":
        return [{ _tag: "Started", event }]
      case "RunContinued":
      case "TeamRunContinued": {
        isAnswering = false
        return [
          { _tag: "Resumed", event, isVoid: isVoid === "text", isReasoningVoid: isVoid === "reasoning" },
          ...(event.tools ?? []).map((tool) => ended(event, tool))
        ]
      }
      case "StepContinued":
      case "StepExecutorContinued":
        return [{ _tag: "Resumed", event, isVoid: false, isReasoningVoid: false }]
      case "RunContent":
      case "TeamRunContent": {
        const delta = textOf(event.content)
        if (event.content_type !== "str") isAnswering = false
        if (delta !== "") return [text(event, delta)]
        return [{ _tag: RunEvent.isBlank(event) ? "Blank" : "Other", event }]
      }
      case "ModelRequestCompleted":
      case "TeamModelRequestCompleted":
        isAnswering = false
        return [{ _tag: "Other", event }]
      case "ReasoningStarted":
      case "TeamReasoningStarted":
        if (isReasoning) return [{ _tag: "Other", event }]
        isReasoning = true
        return [{ _tag: "ReasoningStarted", event }]
      case "ToolCallStarted":
      case "TeamToolCallStarted": {
        const { tool_args, tool_call_id, tool_name } = event.tool
        return [{ _tag: "ToolCallStarted", event, id: tool_call_id, name: tool_name, args: tool_args ?? {} }]
      }
      case "ToolCallCompleted":
      case "TeamToolCallCompleted": {
        const { child_run_id } = event.tool
        return [
          child_run_id !== null && shared.paused.has(child_run_id)
            ? { _tag: "Other", event }
            : ended(event, event.tool)
        ]
      }
      case "StepStarted":
        return [{ _tag: "StepStarted", event, ...stepOf(event) }]
      case "StepCompleted":
        return [{ _tag: "StepEnded", event, ...stepOf(event), error: undefined }]
      case "StepError":
        return [{ _tag: "StepEnded", event, ...stepOf(event), error: event.error }]
      case "CustomEvent": {
        const value = CustomEvent.fieldsOf(event)
        return [{ _tag: "Custom", event, name: nameIn(value), value }]
      }
      case "RunCompleted":
      case "TeamRunCompleted": {
        const { citations, content = null, finish_reason, metadata, metrics, references = [], session_state } = event
        const whole = textOf(content)
        return [
          ...rest(event, whole),
          ...mediaOf(event).map((medium): RunPiece => ({ _tag: "Medium", event, ...medium })),
          { _tag: "State", event, state: session_state },
          {
            _tag: "Completed",
            event,
            text: whole,
            content,
            metrics,
            usage: usageOf(metrics),
            references,
            citations,
            finishReason: finish_reason,
            metadata
          }
        ]
      }
      case "WorkflowCompleted": {
        const { content = null, metadata, metrics: timed, session_state, step_results } = event
        const duration = timed?.duration
        const whole = textOf(content)
        const metrics = { ...WorkflowRun.usageOf(event), ...(duration === undefined ? {} : { duration }) }
        const { audio, files, images, videos } = step_results.at(-1) ?? {}
        const media = mediaOf({ images: images ?? [], audio: audio ?? [], videos: videos ?? [], files: files ?? [] })
        return [
          ...rest(event, whole),
          ...media.map((medium): RunPiece => ({ _tag: "Medium", event, ...medium })),
          ...(session_state === undefined ? [] : [{ _tag: "State", event, state: session_state } as const]),
          {
            _tag: "Completed",
            event,
            text: whole,
            content,
            metrics,
            usage: usageOf(metrics),
            references: [],
            citations: undefined,
            finishReason: undefined,
            metadata
          }
        ]
      }
      case "RunPaused":
      case "TeamRunPaused":
        return [{
          _tag: "Paused",
          event,
          text: event.content,
          questions: Questions.of(event),
          usage: shared.usage
        }]
      case "WorkflowPaused": {
        const questions = Questions.of(event)
        const text = questions.map(({ message }) => message).join(" ")
        return [{ _tag: "Paused", event, text, questions, usage: shared.usage }]
      }
      case "RunError":
      case "TeamRunError": {
        const { content = "The run failed", error_id, error_type } = event
        return [{ _tag: "Failed", event, message: content, error_type, error_id }]
      }
      case "WorkflowError":
        return [{
          _tag: "Failed",
          event,
          message: event.error,
          error_type: event.error_type,
          error_id: event.error_id
        }]
      case "RunCancelled":
      case "TeamRunCancelled":
      case "WorkflowCancelled":
        return [{ _tag: "Cancelled", event, reason: event.reason }]
      default:
        return [{ _tag: "Other", event }]
    }
  }

  /** Undefined for an event without reasoning. */
  const thoughtOf = (event: RunEvent.RunEvent): string | undefined => {
    switch (event.event) {
      case "RunContent":
      case "TeamRunContent":
        return event.reasoning_content
      case "ReasoningContentDelta":
      case "TeamReasoningContentDelta":
        return event.reasoning_content
      case "ReasoningStep":
      case "TeamReasoningStep": {
        const all = event.reasoning_content
        const added = all.startsWith(thoughts) ? all.slice(thoughts.length) : all
        thoughts = all
        return added
      }
      default:
        return undefined
    }
  }

  return {
    endAnswer: () => {
      isAnswering = false
    },
    push: (event) => {
      const isVoid = isRestart(event)
      const thought = thoughtOf(event)
      if (thought !== undefined && thought !== "") return reasoning(event, thought)
      const pieces = piecesOf(event, isVoid)
      return isReasoning && pieces.some(({ _tag }) => !keepsReasoning.has(_tag)) ||
          event.event.endsWith("ReasoningCompleted")
        ? [...closeReasoning(event), ...pieces]
        : pieces
    }
  }
}
