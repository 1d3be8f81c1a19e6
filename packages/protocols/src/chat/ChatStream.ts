// A run as a UI message stream: one assistant message whose id is the id of the run. Parts are closed before others
// start, and a step of the message is one answer of the model with its calls. Nulls break the client.
import * as Json from "@svc-runtime/domain/Json"
import { Equal, Option } from "effect"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import { type Encoder, frame } from "../run/Encoder.ts"
import * as MediumUrl from "../run/MediumUrl.ts"
import * as OneEnd from "../run/OneEnd.ts"
import type { Completed, Failed, Paused, RunPiece } from "../run/RunPiece.ts"
import type { Edited, Rejected } from "./ChatRequest.ts"

export interface Options {
  /** Undefined: the stream continues a message that the client has. */
  readonly messageId: string | undefined
  readonly metadata: Json.Object
  /** Calls that the message of the client has already, with their arguments. */
  readonly known?: ReadonlyMap<string, Json.Value>
  /** Those of them whose arguments the client has edited. */
  readonly edited?: ReadonlyArray<Edited>
  /** Calls whose results the client gave: not all of them get one of the run. */
  readonly rejected?: ReadonlyArray<Rejected>
}

const done = "data: [DONE]\n\n"

/** The result of a call is text that is often JSON. */
const outputOf = (result: string): Json.Value => Option.getOrElse(Json.parseInput(result), () => result)

const isApproval = ({ kind }: Question): boolean =>
  kind === "confirmation" || kind === "unknown_outcome" || kind === "step_confirmation" || kind === "output_review"

const sourcesOf = ({ citations }: Completed): ReadonlyArray<object> => [
  ...(citations?.urls ?? []).map(({ title, url }, index) => ({
    type: "source-url",
    sourceId: `url-${index}`,
    url,
    ...(title === undefined ? {} : { title })
  })),
  ...(citations?.documents ?? []).map(({ document_title, file_name }, index) => ({
    type: "source-document",
    sourceId: `document-${index}`,
    mediaType: "text/plain",
    title: document_title ?? file_name ?? "Document",
    ...(file_name === undefined ? {} : { filename: file_name })
  }))
]

const usageOf = ({ metrics: { input_tokens, output_tokens, total_tokens } }: Completed): Json.Object => ({
  ...(input_tokens === undefined ? {} : { inputTokens: input_tokens }),
  ...(output_tokens === undefined ? {} : { outputTokens: output_tokens }),
  ...(total_tokens === undefined ? {} : { totalTokens: total_tokens })
})

/** The type of a data part: authors choose the names of their events. */
const dataType = (name: string): string => /^[\w-]{1,100}$/.test(name) ? `data-${name}` : "data-custom"

const rejection = ({ errorText, toolCallId }: Rejected): string =>
  errorText === undefined
    ? frame({ type: "tool-output-denied", toolCallId })
    : frame({ type: "tool-output-error", toolCallId, errorText })

const inputOf = ({ input, toolCallId, toolName }: Edited, more: object = {}): string =>
  frame({ type: "tool-input-available", toolCallId, toolName, input, dynamic: true, ...more })

/** Of a question, for the client that shows it. */
const toolMetadataOf = ({ id, kind, message, schema }: Question): object => ({
  toolMetadata: { kind, requirementId: id, message, schema }
})

/** Asks for an answer to a call that the client shows. */
const asking = (question: Question): string => {
  const { id, message, toolCallId } = question
  return isApproval(question)
    ? frame({ type: "tool-approval-request", approvalId: id, toolCallId, reason: message })
    : ""
}

/**
 * The answer to a message whose answers an approval has decided otherwise. The client sends what it shows again with
 * each answer, so these calls are shown without one.
 */
export const decidedOf = (
  { metadata, questions }: Pick<Options, "metadata"> & { readonly questions: ReadonlyArray<Question> },
  errorText: string
): string =>
  frame({ type: "start", messageMetadata: metadata }) +
  questions.map((each) =>
    inputOf({ ...each, toolName: each.name, input: Questions.argsOf(each) }, toolMetadataOf(each)) + asking(each)
  ).join("") +
  frame({ type: "error", errorText }) + done

export const make = (
  { edited = [], known = new Map(), messageId, metadata, rejected = [] }: Options
): Encoder => {
  const earlier = new Set(known.keys())
  /** With the arguments that the client has. */
  const calls = new Map(known)
  /** Their results are shown at the beginning. */
  const rejections = new Set(rejected.map(({ toolCallId }) => toolCallId))
  /** Calls that wait for a confirmation, in a stream that is replayed behind the pause. */
  const waiting = new Map<string, Question>()
  let open: { readonly type: "text" | "reasoning"; readonly id: string } | undefined
  let segment = -1
  let isStepEmpty = true
  let parts = 0
  let isPaused = false

  const close = (): string => {
    if (open === undefined) return ""
    const { id, type } = open
    open = undefined
    return frame({ type: `${type}-end`, id })
  }

  const start = (type: "text" | "reasoning", index: number): string => {
    const closed = close()
    open = { type, id: `${type}-${index}-${parts++}` }
    isStepEmpty = false
    return closed + frame({ type: `${type}-start`, id: open.id })
  }

  const delta = (type: "text" | "reasoning", text: string, index: number): string => {
    const started = open?.type === type ? "" : start(type, index)
    return `${started}data: {"type":"${type}-delta","id":"${open?.id}","delta":${JSON.stringify(text)}}\n\n`
  }

  const call = (toolCallId: string, toolName: string, input: Json.Value, more: object = {}): string => {
    if (calls.has(toolCallId)) return ""
    calls.set(toolCallId, input)
    isStepEmpty = false
    return inputOf({ toolCallId, toolName, input }, more)
  }

  const question = (waits: Question): string => {
    const { name, toolCallId } = waits
    // a call that asks in the middle was shown without its question, in the same step of the message
    if (!earlier.has(toolCallId)) calls.delete(toolCallId)
    const input = call(toolCallId, name, Questions.argsOf(waits), toolMetadataOf(waits))
    waiting.set(toolCallId, waits)
    return input + asking(waits)
  }

  /** The call that shows the question waits no more, in a stream that is replayed. */
  const answered = ({ toolCallId }: Question): string => {
    waiting.delete(toolCallId)
    return frame({ type: "tool-output-available", toolCallId, output: Questions.answered })
  }

  const paused = ({ questions }: Paused): string => {
    isPaused = true
    const over = [...waiting.values()].filter((each) =>
      !isApproval(each) && !questions.some(({ id }) => id === each.id)
    )
    return close() + [...over.map(answered), ...questions.map(question)].join("")
  }

  /** What the call waits for. */
  const waitingIn = (id: string): Question | undefined => [...waiting.values()].find(({ calledAs }) => calledAs === id)

  /** The call of a first question gets the result of its tool. */
  const ended = (question: Question | undefined): string => {
    if (question === undefined) return ""
    if (Questions.isFurther(question)) return answered(question)
    waiting.delete(question.toolCallId)
    return ""
  }

  const pausedEnd = (): string =>
    frame({ type: "finish-step" }) +
    frame({ type: "finish", finishReason: "tool-calls", messageMetadata: { ...metadata, status: "PAUSED" } })

  const completed = (piece: Completed): string => {
    const { references } = piece
    const shown = references.length === 0 ? [] : [{ type: "data-references", id: "references", data: references }]
    const usage = usageOf(piece)
    const messageMetadata = { ...metadata, status: "COMPLETED", usage }
    return close() + [...sourcesOf(piece), ...shown, { type: "finish-step" }].map(frame).join("") +
      frame({ type: "finish", finishReason: piece.finishReason?.replace("_", "-") ?? "stop", messageMetadata })
  }

  const failed = ({ message }: Pick<Failed, "message">): string =>
    close() + frame({ type: "error", errorText: message })

  /** What waited for a confirmation and was not executed was rejected. */
  const settled = (): string => {
    const denied = [...waiting.values()].filter(({ kind }) => kind === "confirmation")
    waiting.clear()
    return denied.map(({ toolCallId }) => rejection({ toolCallId })).join("")
  }

  const nextStep = (): string => {
    const before = close() + settled()
    if (isStepEmpty) return before
    isStepEmpty = true
    return before + frame({ type: "finish-step" }) + frame({ type: "start-step" })
  }

  /** A call in a run inside, if a person was asked about it. */
  const isAsked = (piece: RunPiece): boolean =>
    (piece._tag === "ToolCallStarted" || piece._tag === "ToolCallEnded") && calls.has(piece.id)

  const push = (piece: RunPiece): string => {
    const { event } = piece
    isPaused = false
    switch (piece._tag) {
      case "Text": {
        const closed = piece.segment === segment ? "" : close()
        segment = piece.segment
        return closed + delta("text", piece.delta, event.event_index)
      }
      case "Resumed":
        if (!piece.isVoid && !piece.isReasoningVoid) return ""
        open = undefined
        isStepEmpty = true
        return frame({ type: "reset-step" })
      case "Reasoning":
        return delta("reasoning", piece.delta, event.event_index)
      case "ReasoningEnded":
        return close()
      case "ToolCallStarted": {
        const approval = waitingIn(piece.id)
        const approved = approval !== undefined && isApproval(approval)
          ? frame({ type: "tool-approval-response", approvalId: approval.id, approved: true }) + ended(approval)
          : ""
        // a person has edited it; a part of an earlier step cannot be changed any more
        if (!earlier.has(piece.id) && !Equal.equals(calls.get(piece.id), piece.args)) calls.delete(piece.id)
        return close() + approved + call(piece.id, piece.name, piece.args)
      }
      case "ToolCallEnded": {
        const { id: toolCallId, isError, isRejected, name, result } = piece
        const over = ended(waitingIn(toolCallId))
        if (isRejected && rejections.delete(toolCallId)) return close() + over
        const shown = isRejected || isError
          ? rejection({ toolCallId, ...(isRejected ? {} : { errorText: result }) })
          : frame({ type: "tool-output-available", toolCallId, output: outputOf(result) })
        return close() + over + call(toolCallId, name, {}) + shown
      }
      case "Member":
        return isAsked(piece.piece) ? push(piece.piece) : ""
      case "StepStarted":
        return frame({ type: "data-step", id: piece.id, data: { name: piece.name, status: "running" } })
      case "StepEnded": {
        const { error, id, name } = piece
        const status = error === undefined ? { status: "completed" } : { status: "failed", error }
        return frame({ type: "data-step", id, data: { name, ...status } })
      }
      case "MemberStarted":
        return frame({ type: "data-member", id: piece.run_id, data: { name: piece.name, status: "RUNNING" } })
      case "MemberEnded":
        return frame({ type: "data-member", id: piece.run_id, data: { name: piece.name, status: piece.status } })
      case "Medium": {
        const found = MediumUrl.of(piece)
        return found === undefined ? "" : close() + frame({ type: "file", ...found })
      }
      case "State":
        return Object.keys(piece.state).length === 0
          ? ""
          : close() + frame({ type: "data-state", id: "state", data: piece.state })
      case "Custom":
        return frame({ type: dataType(piece.name), data: piece.value })
      case "Other":
        return event.event.endsWith("ModelRequestStarted") ? nextStep() : ""
      case "Paused":
        return paused(piece)
      case "Completed":
        return settled() + completed(piece)
      case "Failed":
        return failed(piece)
      case "Cancelled":
        return close() + frame({ type: "abort", reason: piece.reason })
      default:
        return ""
    }
  }

  return OneEnd.of({
    begin: frame({
      type: "start",
      ...(messageId === undefined ? {} : { messageId }),
      messageMetadata: metadata
    }) + edited.map((each) => inputOf(each)).join("") + rejected.map(rejection).join("") +
      frame({ type: "start-step" }),
    push,
    end: () => (isPaused ? pausedEnd() : "") + done,
    broken: (message) => failed({ message }) + done
  })
}
