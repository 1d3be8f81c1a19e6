// A run as the events of `responses`, each with its number. Every answer of the model is an item, and what a paused run
// waits for is a call of a function.
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import type { Encoder } from "../run/Encoder.ts"
import * as OneEnd from "../run/OneEnd.ts"
import type { Paused, RunPiece } from "../run/RunPiece.ts"
import * as ResponseObject from "./ResponseObject.ts"
import * as Usage from "./Usage.ts"

interface Open {
  readonly type: "text" | "reasoning"
  readonly id: string
  readonly segment: number
  text: string
}

/** `after`: the number of the last event that the client has. */
export const make = (described: ResponseObject.Described, after = -1): Encoder => {
  const { run_id } = described
  const output: Array<object> = []
  /** Answers that broke off and are made again. */
  const voided = new Set<object>()
  let number = 0
  /** Of the event of the last piece. */
  let last: number | undefined
  let open: Open | undefined
  /** The last piece, if the run waits. In a replay the run can continue behind it. */
  let paused: Paused | undefined

  const event = (type: string, fields: object): string => {
    const sequence_number = number++
    return sequence_number <= after
      ? ""
      : `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
  }

  const response = (status: ResponseObject.Status, more: object = {}) =>
    ResponseObject.make(described, { status, output: output.filter((item) => !voided.has(item)), ...more })

  const closeText = ({ id: item_id, text }: Open, isVoid: boolean): string => {
    const part = ResponseObject.textPart(text)
    const item = ResponseObject.messageItem(item_id, isVoid ? "incomplete" : "completed", [part])
    if (isVoid) voided.add(item)
    const at = { item_id, output_index: output.length, content_index: 0 }
    const events = event("response.output_text.done", { ...at, text, logprobs: [] }) +
      event("response.content_part.done", { ...at, part }) +
      event("response.output_item.done", { output_index: output.length, item })
    output.push(item)
    return events
  }

  const closeReasoning = ({ id: item_id, text }: Open): string => {
    const part = { type: "summary_text", text }
    const item = { id: item_id, type: "reasoning", summary: [part] }
    const at = { item_id, output_index: output.length, summary_index: 0 }
    const events = event("response.reasoning_summary_text.done", { ...at, text }) +
      event("response.reasoning_summary_part.done", { ...at, part }) +
      event("response.output_item.done", { output_index: output.length, item })
    output.push(item)
    return events
  }

  const close = (isVoid = false): string => {
    if (open === undefined) return ""
    const closing = open
    open = undefined
    return closing.type === "text" ? closeText(closing, isVoid) : closeReasoning(closing)
  }

  const openText = (segment: number): string => {
    const before = close()
    open = { type: "text", id: `msg_${run_id}_${output.length}`, segment, text: "" }
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

  const openReasoning = (): string => {
    const before = close()
    open = { type: "reasoning", id: `rs_${run_id}_${output.length}`, segment: -1, text: "" }
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

  const text = (delta: string, segment: number): string =>
    (open?.type === "text" && open.segment === segment ? "" : openText(segment)) + part(delta)

  const reasoning = (delta: string): string => (open?.type === "reasoning" ? "" : openReasoning()) + part(delta)

  const call = (question: Question): string => {
    const id = `fc_${run_id}_${output.length}`
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

  const succeeded = ({ usage }: Pick<Paused, "usage">): string =>
    event("response.completed", { response: response("completed", { usage: Usage.ofResponse(usage) }) })

  const push = (piece: RunPiece): string => {
    const { event_index } = piece.event
    // words were lost between the events of a run that is set aside, and each had a number
    number += Math.max(0, event_index - (last ?? event_index) - 1)
    last = event_index
    paused = piece._tag === "Paused" ? piece : undefined
    switch (piece._tag) {
      case "Text":
        return text(piece.delta, piece.segment)
      case "Blank":
        return part("")
      case "Resumed":
        return piece.isVoid ? close(true) : ""
      case "Reasoning":
        return reasoning(piece.delta)
      case "ReasoningEnded":
        return close()
      case "Paused":
        return close() + piece.questions.map(call).join("")
      case "Completed":
        return close() + succeeded(piece)
      case "Failed":
        return failed(piece.message)
      case "Cancelled":
        // there is no event of its own for a response that is cancelled
        return close() + event("response.failed", { response: response("cancelled") })
      default:
        return ""
    }
  }

  return OneEnd.of({
    begin: event("response.created", { response: response("in_progress") }) +
      event("response.in_progress", { response: response("in_progress") }),
    push,
    end: () => paused === undefined ? "" : succeeded(paused),
    broken: failed
  })
}
