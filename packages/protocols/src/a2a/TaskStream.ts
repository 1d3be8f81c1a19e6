// The messages of a task's stream, from the pieces of its run. It also has the task as it is so far, for
// clients that begin to read later.
import type * as Json from "@svc-runtime/domain/Json"
import type { RunPiece } from "../run/RunPiece.ts"
import {
  type Artifact,
  isSettled,
  type Message,
  type Part,
  rejection,
  type State,
  type Status,
  type StreamResponse,
  type Task,
  timestamp
} from "./Model.ts"
import * as Results from "./Results.ts"

export interface Start {
  readonly taskId: string
  readonly contextId: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly history: ReadonlyArray<Message>
  readonly metadata: Json.Object | undefined
}

export interface TaskStream {
  readonly push: (piece: RunPiece) => ReadonlyArray<StreamResponse>
  /** `isWorking`: the run executes, and the events of its work follow. */
  readonly task: (isWorking?: boolean) => Task
}

/** What clients see of pieces that the protocol has no message for. */
const noteOf = (piece: RunPiece): Json.Object | undefined => {
  switch (piece._tag) {
    case "ToolCallStarted":
      return {
        svc_event_type: "tool_call_started",
        tool_name: piece.name,
        tool_call_id: piece.id,
        tool_args: JSON.stringify(piece.args)
      }
    case "ToolCallEnded":
      return {
        svc_event_type: piece.isRejected ? "tool_call_rejected" : "tool_call_completed",
        tool_name: piece.name,
        tool_call_id: piece.id
      }
    case "ReasoningStarted":
      return { svc_event_type: "reasoning_started" }
    case "ReasoningEnded":
      return { svc_event_type: "reasoning_completed" }
    case "StepStarted":
      return { svc_event_type: "workflow_step_started", step_name: piece.name }
    case "StepEnded":
      return piece.error === undefined
        ? { svc_event_type: "workflow_step_completed", step_name: piece.name }
        : { svc_event_type: "workflow_step_error", step_name: piece.name, error: piece.error }
    case "Custom":
      return { svc_event_type: "custom", name: piece.name, value: piece.value }
    default:
      return undefined
  }
}

/** A structured answer is shown as a whole, at the end. */
const isStructured = ({ event }: RunPiece): boolean => "content_type" in event && event.content_type !== "str"

export const make = ({ at, contextId, history, metadata, taskId }: Start): TaskStream => {
  const ids = { taskId, contextId }
  let status: Status = { state: "TASK_STATE_SUBMITTED", timestamp: timestamp(at) }
  const media: Array<Artifact> = []
  let answer: Part | undefined
  let segment = 0
  const counts: Record<Results.MediumKind, number> = { image: 0, audio: 0, video: 0, file: 0 }

  const changed = (piece: RunPiece, state: State, message?: Message, note?: Json.Object): StreamResponse => {
    const current: Status = {
      state,
      ...(message === undefined ? {} : { message }),
      timestamp: timestamp(piece.event.created_at * 1000)
    }
    if (note === undefined) status = current
    return { statusUpdate: { ...ids, status: current, ...(note === undefined ? {} : { metadata: note }) } }
  }

  const artifact = (part: Part, more: { readonly append: boolean; readonly lastChunk: boolean }): StreamResponse => ({
    artifactUpdate: { ...ids, artifact: Results.answer([part]), ...more }
  })

  const text = (delta: string, ofSegment: number): StreamResponse => {
    const shown = ofSegment === segment ? answer?.text : undefined
    segment = ofSegment
    answer = { text: (shown ?? "") + delta }
    return artifact({ text: delta }, { append: shown !== undefined, lastChunk: false })
  }

  /** The answer as it is stored. */
  const whole = (content: Json.Value): ReadonlyArray<StreamResponse> => {
    const part = Results.answerPart(content)
    if (part === undefined) return []
    const isShown = part.text !== undefined && part.text === answer?.text
    answer = part
    return [
      isShown
        ? artifact({ text: "" }, { append: true, lastChunk: true })
        : artifact(part, { append: false, lastChunk: true })
    ]
  }

  const push = (piece: RunPiece): ReadonlyArray<StreamResponse> => {
    switch (piece._tag) {
      case "Started":
        return [changed(piece, "TASK_STATE_WORKING")]
      case "Resumed": {
        if (piece.isVoid) answer = undefined
        return status.state === "TASK_STATE_WORKING" ? [] : [changed(piece, "TASK_STATE_WORKING")]
      }
      case "Text":
        return isStructured(piece) ? [] : [text(piece.delta, piece.segment)]
      case "Reasoning": {
        const message = Results.agentMessage(ids, `reasoning-${piece.event.event_index}`, [{ text: piece.delta }])
        return [changed(piece, "TASK_STATE_WORKING", message, { svc_content_category: "reasoning" })]
      }
      case "Medium": {
        const made = Results.mediumArtifact(piece.kind, counts[piece.kind]++, piece.medium)
        if (made === undefined) return []
        media.push(made)
        return [{ artifactUpdate: { ...ids, artifact: made, append: false, lastChunk: true } }]
      }
      case "Paused":
        return [changed(piece, "TASK_STATE_INPUT_REQUIRED", Results.questionsMessage(ids, piece.questions))]
      case "Completed":
        return [...whole(piece.content), changed(piece, "TASK_STATE_COMPLETED")]
      case "Failed":
        return [changed(
          piece,
          piece.error_type === rejection ? "TASK_STATE_REJECTED" : "TASK_STATE_FAILED",
          Results.failureMessage(ids, piece.message)
        )]
      case "Cancelled":
        return [changed(piece, "TASK_STATE_CANCELED")]
      default: {
        const note = noteOf(piece)
        return note === undefined ? [] : [changed(piece, "TASK_STATE_WORKING", undefined, note)]
      }
    }
  }

  return {
    push,
    task: (isWorking = false) => {
      const shown = answer === undefined || answer.text === "" ? media : [Results.answer([answer]), ...media]
      return {
        id: taskId,
        contextId,
        status: isWorking && isSettled(status.state)
          ? { state: "TASK_STATE_WORKING", timestamp: status.timestamp }
          : status,
        ...(shown.length === 0 ? {} : { artifacts: [...shown] }),
        ...(history.length === 0 ? {} : { history }),
        ...(metadata === undefined ? {} : { metadata })
      }
    }
  }
}

/** Whether a stream closes after the message. */
export const isLast = (item: StreamResponse): boolean =>
  "message" in item ||
  ("statusUpdate" in item && isSettled(item.statusUpdate.status.state)) ||
  ("task" in item && isSettled(item.task.status.state))
