// A run as the events of `responses`, each with its number. Every answer of the model is an item, and what a paused run
// waits for is a call of a function.
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import type { Encoder } from "../run/Encoder.ts"
import * as OneEnd from "../run/OneEnd.ts"
import type { Completed, Paused, Reasoning, RunPiece, Text } from "../run/RunPiece.ts"
import * as OpaqueId from "./OpaqueId.ts"
import * as ResponseObject from "./ResponseObject.ts"
import * as UsageOf from "./Usage.ts"

interface Open {
  readonly type: "text" | "reasoning"
  readonly id: string
  readonly segment: number
  text: string
}

export interface ResponseEncoder extends Encoder {
  /** Ends it. What the frames have, for a response that is not streamed. */
  readonly shown: () => ResponseObject.Shown
}

/** How text ends: `void` text is made again. */
type Closing = "completed" | "incomplete" | "void"

export interface Options {
  /** The number of the last event that the client has. */
  readonly after?: number
  /** Whether the run is shown behind its pauses, where other responses begin. */
  readonly isWholeRun?: boolean
}

export const make = (
  described: ResponseObject.Described,
  { after = -1, isWholeRun = false }: Options = {}
): ResponseEncoder => {
  const output: Array<ResponseObject.Item> = []
  /** Answers that broke off and are made again. */
  const voided = new Set<object>()
  let number = 0
  /** Of the event of the last piece. */
  let last: number | undefined
  let open: Open | undefined
  /** The last piece, if the run waits. In a replay the run can continue behind it: in another response. */
  let paused: Paused | undefined
  let used: Usage.Counters = {}

  const event = (type: string, fields: object): string => {
    const sequence_number = number++
    return sequence_number <= after
      ? ""
      : `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
  }

  const items = () => output.filter((item) => !voided.has(item))

  const response = (status: ResponseObject.Status, more: object = {}) =>
    ResponseObject.make(described, { status, output: items(), ...more })

  const closeText = ({ id: item_id, text }: Open, status: Closing): string => {
    const part = ResponseObject.textPart(text)
    const item = ResponseObject.messageItem(item_id, status === "void" ? "incomplete" : status, [part])
    if (status === "void") voided.add(item)
    const at = { item_id, output_index: output.length, content_index: 0 }
    const events = event("response.output_text.done", { ...at, text, logprobs: [] }) +
      event("response.content_part.done", { ...at, part }) +
      event("response.output_item.done", { output_index: output.length, item })
    output.push(item)
    return events
  }

  const closeReasoning = ({ id: item_id, text }: Open): string => {
    const part = { type: "summary_text", text }
    const item = { id: item_id, type: "reasoning" as const, summary: [part] }
    const at = { item_id, output_index: output.length, summary_index: 0 }
    const events = event("response.reasoning_summary_text.done", { ...at, text }) +
      event("response.reasoning_summary_part.done", { ...at, part }) +
      event("response.output_item.done", { output_index: output.length, item })
    output.push(item)
    return events
  }

  const close = (status: Closing = "completed"): string => {
    if (open === undefined) return ""
    const closing = open
    open = undefined
    return closing.type === "text" ? closeText(closing, status) : closeReasoning(closing)
  }

  const openText = (segment: number, event_index: number): string => {
    const before = close()
    open = { type: "text", id: OpaqueId.ofItem("msg", described, { event: event_index }), segment, text: "" }
    const output_index = output.length
    return before +
      event("response.output_item.added", {
        output_index,
        item: ResponseObject.messageItem(open.id, "in_progress", [])
      }) +
      event("response.content_part.added", {
        item_id: open.id,
        output_index,
        content_index: 0,
        part: ResponseObject.textPart("")
      })
  }

  const openReasoning = (event_index: number): string => {
    const before = close()
    open = { type: "reasoning", id: OpaqueId.ofItem("rs", described, { event: event_index }), segment: -1, text: "" }
    const output_index = output.length
    return before +
      event("response.output_item.added", { output_index, item: { id: open.id, type: "reasoning", summary: [] } }) +
      event("response.reasoning_summary_part.added", {
        item_id: open.id,
        output_index,
        summary_index: 0,
        part: { type: "summary_text", text: "" }
      })
  }

  /** A part of the open text or reasoning. */
  const part = (delta: string): string => {
    if (open === undefined) return ""
    open.text += delta
    const at = { item_id: open.id, output_index: output.length }
    return open.type === "text"
      ? event("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] })
      : event("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta })
  }

  const text = ({ delta, event: { event_index }, segment }: Text): string =>
    (open?.type === "text" && open.segment === segment ? "" : openText(segment, event_index)) + part(delta)

  const reasoning = ({ delta, event: { event_index } }: Reasoning): string =>
    (open?.type === "reasoning" ? "" : openReasoning(event_index)) + part(delta)

  const call = (question: Question, place: OpaqueId.ItemPlace): string => {
    const id = OpaqueId.ofItem("fc", described, place)
    const args = JSON.stringify(Questions.argsOf(question))
    const item = ResponseObject.callItem(described, id, "completed", question, args)
    const at = { item_id: id, output_index: output.length }
    const events = event("response.output_item.added", {
      output_index: output.length,
      item: ResponseObject.callItem(described, id, "in_progress", question, "")
    }) +
      event("response.function_call_arguments.delta", { ...at, delta: args }) +
      event("response.function_call_arguments.done", { ...at, name: question.name, arguments: args }) +
      event("response.output_item.done", { output_index: output.length, item })
    output.push(item)
    return events
  }

  const failed = (message: string): string =>
    close() + event("response.failed", {
      response: response("failed", { error: { code: "server_error", message } })
    })

  const succeeded = ({ usage }: Paused | Completed, finishReason?: Completed["finishReason"]): string => {
    used = usage
    const status = ResponseObject.completedAs(finishReason)
    return event(`response.${status}`, {
      response: response(status, { finishReason, usage: UsageOf.ofResponse(usage) })
    })
  }

  const isOver = () => paused !== undefined && !isWholeRun

  const push = (piece: RunPiece): string => {
    if (isOver()) return ""
    const { event_index } = piece.event
    // words were lost between the events of a run that is set aside, and each had a number
    number += Math.max(0, event_index - (last ?? event_index) - 1)
    last = event_index
    paused = piece._tag === "Paused" ? piece : undefined
    switch (piece._tag) {
      case "Text":
        return text(piece)
      case "Blank":
        return part("")
      case "Resumed":
        return piece.isVoid ? close("void") : ""
      case "Reasoning":
        return reasoning(piece)
      case "ReasoningEnded":
        return close()
      case "Paused":
        return close() +
          piece.questions.map((question, number) => call(question, { event: event_index, number })).join("")
      case "Completed":
        return close(ResponseObject.completedAs(piece.finishReason)) + succeeded(piece, piece.finishReason)
      case "Failed":
        return failed(piece.message)
      case "Cancelled":
        // there is no event of its own for a response that is cancelled
        return close("incomplete") + event("response.failed", { response: response("cancelled") })
      default:
        return ""
    }
  }

  const encoder = OneEnd.of({
    begin: event("response.created", { response: response("in_progress") }) +
      event("response.in_progress", { response: response("in_progress") }),
    push,
    isOver,
    end: () => paused === undefined ? "" : succeeded(paused),
    // The run continues. A client that reads on names the last number: this event closes nothing, and takes no number.
    broken: (message) => {
      const error = { type: "error", sequence_number: number - 1, code: "server_error", message, param: null }
      return `event: error\ndata: ${JSON.stringify(error)}\n\n`
    }
  })
  return {
    ...encoder,
    shown: () => {
      encoder.end()
      return { items: items(), usage: used, isPaused: paused !== undefined }
    }
  }
}
