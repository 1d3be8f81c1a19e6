// Closes a run that is cancelled or fails, so that later runs of its session can be shown it: it keeps the text so far
// and the results of finished calls, each open call gets a result that says what is known, and what was refused is
// marked. A run that pauses keeps its open calls.
import type * as Message from "@svc-runtime/domain/Message"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import { Cause, Option } from "effect"
import * as ToolCalls from "./calls/ToolCalls.ts"
import type { Expected } from "./RunFailure.ts"
import type { RunRecorder } from "./RunRecorder.ts"
import * as Turn from "./Turn.ts"

/** The calls with a result each. */
const closedTools = ({ tools }: RunRecorder, turn: Turn.Turn | undefined): ReadonlyArray<ToolExecution.ToolExecution> =>
  tools.map((tool, place) => {
    const call = turn?.places.indexOf(place) ?? -1
    if (turn === undefined || call < 0) return ToolExecution.cutOff(tool)
    const inside = turn.answers.has(call) ? undefined : turn.inside.get(call)
    if (inside !== undefined && !ToolExecution.isPaused(tool)) {
      return ToolExecution.cutOffInside(tool, inside.map(({ tool_execution }) => tool_execution))
    }
    if (!turn.started.has(call) && !turn.begun.has(call)) return ToolExecution.cutOff(tool)
    const begun = { ...ToolCalls.decided(tool, turn.decisions.get(call)), ...Turn.shownBefore(turn, call) }
    return ToolExecution.cutOff(tool.result === null ? begun : tool, true)
  })

/** In the order of their calls. */
const answersOf = (turn: Turn.Turn | undefined): ReadonlyArray<Message.Message> =>
  [...turn?.answers ?? []].toSorted(([one], [other]) => one - other).map(([, { message }]) => message)

/** The results of its finished calls. They are in its journal, from which it continues. */
export const paused = ({ messages }: RunRecorder, turn: Turn.Turn | undefined): void => {
  messages.push(...answersOf(turn))
}

const close = (recorder: RunRecorder, turn: Turn.Turn | undefined): ReadonlyArray<ToolExecution.ToolExecution> => {
  const tools = closedTools(recorder, turn)
  const { messages, partial } = recorder
  const closed = UnfinishedTurn.closed([...messages, ...answersOf(turn)], tools)
  messages.splice(0, messages.length, ...closed)
  if (partial !== "") messages.push(recorder.message("assistant", { content: partial }))
  return tools
}

/** A cancelled run has no open calls. */
export const cancelled = (recorder: RunRecorder, turn: Turn.Turn | undefined): void => {
  const tools = close(recorder, turn)
  recorder.tools.splice(0, recorder.tools.length, ...tools)
}

const mark = ({ messages }: RunRecorder, isRefused: (message: Message.Message, place: number) => boolean): void => {
  messages.splice(
    0,
    messages.length,
    ...messages.map((message, place) => isRefused(message, place) ? UnfinishedTurn.leftOut(message) : message)
  )
}

/** What the last request has added: the input, or the last results. */
const markAsked = (recorder: RunRecorder): void => {
  const last = recorder.messages.findLastIndex(({ role }) => role === "assistant")
  mark(recorder, ({ role }, place) => place > last && (role === "user" || role === "tool"))
}

/** The answer, which can be the result of a call. Before the answer, nothing of the run is stored. */
const markAnswer = (recorder: RunRecorder): void =>
  mark(
    recorder,
    ({ role, tool_calls = [] }, place) =>
      place === recorder.messages.length - 1 && (role === "tool" || (role === "assistant" && tool_calls.length === 0))
  )

/** Marks what was refused. A check that did not work has refused what it was given. */
const markRefused = (recorder: RunRecorder, error: Expected | undefined): void => {
  switch (error?._tag) {
    case "AiError":
      return error.reason._tag === "ContentPolicyError" ? markAsked(recorder) : undefined
    case "CheckFailed":
      return markAnswer(recorder)
    case "HookRejected":
    case "HookBroken":
      if (error.stage === "before_model") return markAsked(recorder)
      return error.stage === undefined || error.stage === "after_run" ? markAnswer(recorder) : undefined
    default:
      return
  }
}

/** A failed run can be continued: its calls stay as they are. */
export const failed = (recorder: RunRecorder, turn: Turn.Turn | undefined, cause: Cause.Cause<Expected>): void => {
  markRefused(recorder, Option.getOrUndefined(Cause.findErrorOption(cause)))
  const refused = new Set([...turn?.failures.keys() ?? []].map((call) => turn?.calls[call]?.id))
  close(recorder, turn)
  if (refused.size > 0) mark(recorder, ({ tool_call_id }) => tool_call_id !== undefined && refused.has(tool_call_id))
}
