// The turn of a run until its calls, with other results of them: what another run begins with.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { EarlierMessage } from "@svc-runtime/domain/EarlierMessage"
import type * as Media from "@svc-runtime/domain/Media"
import type { Message } from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import { Result } from "effect"
import type { AnswerRejected } from "../pause/AnswerRejected.ts"
import * as CallAnswers from "./CallAnswers.ts"

export interface CallTurn {
  readonly text: string
  readonly media: Media.Media
  /** The messages behind the input: those of the model, and the results. */
  readonly later: ReadonlyArray<EarlierMessage>
}

const earlier = ({ content, role, tool_call_id, tool_calls = [] }: Message): EarlierMessage => ({
  role,
  ...(content === undefined ? {} : { content }),
  ...(tool_calls.length === 0 ? {} : { tool_calls }),
  ...(tool_call_id === undefined ? {} : { tool_call_id })
})

/** Fails if the run has made none of the calls. */
export const of = (
  run: AnyRun.Output,
  results: ReadonlyArray<CallAnswers.CallResult>
): Result.Result<CallTurn, AnswerRejected> => {
  const outputs = new Map(results.map(({ output, toolCallId }) => [toolCallId, output]))
  const messages = AnyRun.messagesOf(run).filter(({ from_history, role }) => role !== "system" && !from_history)
  const at = messages.findLastIndex(({ tool_calls = [] }) => tool_calls.some(({ id }) => outputs.has(id)))
  const caller = messages[at]
  if (caller === undefined) return Result.fail(CallAnswers.notWaiting(results.at(-1)?.toolCallId ?? ""))
  const answers = (caller.tool_calls ?? []).flatMap(({ id }): ReadonlyArray<EarlierMessage> => {
    const content = outputs.get(id) ?? messages.slice(at).find(({ tool_call_id }) => tool_call_id === id)?.content
    return content === undefined ? [] : [{ role: "tool", tool_call_id: id, content }]
  })
  const first = messages.findIndex(({ role }) => role === "user")
  const { input_content, ...media } = AnyRun.inputOf(run)
  return Result.succeed({
    text: Run.textOf(input_content),
    media,
    later: [...messages.slice(first + 1, at + 1).map(earlier), ...answers]
  })
}
