// What the jobs that read a run after its end show to a model of it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import { pieceLimits } from "@svc-runtime/engine/session/SessionSummaries"

type Line = Pick<Message.Message, "content" | "from_history" | "role">

/** The maximum of characters of one message, and of all: what a summary covers is shown as a whole. */
const [maxMessageLength, maxConversationLength] = [8000, pieceLimits.bytes]

/** The messages of the user and the assistant, one as JSON in each line. The end of a long conversation counts. */
export const make = (messages: ReadonlyArray<Line>): string => {
  const lines: Array<string> = []
  let length = 0
  for (const { content, from_history, role } of messages.toReversed()) {
    if (from_history || (role !== "user" && role !== "assistant") || content === undefined || content === "") continue
    const text = content.slice(0, maxMessageLength).toWellFormed()
    // a text cannot close the block that the conversation stands in
    const line = JSON.stringify({ [role]: text }).replaceAll("<", "\\u003c")
    length += text.length
    if (length > maxConversationLength) break
    lines.unshift(line)
  }
  return lines.join("\n")
}

export const hasUserText = (transcript: string): boolean => transcript.includes(`{"user":`)

/** The user speaks to a workflow as a whole: what its steps say to each other is left out. */
export const ofRun = (run: AnyRun.Output): string => {
  if (!AnyRun.isWorkflow(run)) return make(AnyRun.messagesOf(run))
  const messageOf = (role: Line["role"], content: Json.Value | undefined): Line =>
    content === undefined ? { role, from_history: false } : { role, from_history: false, content: Run.textOf(content) }
  return make([messageOf("user", run.input), messageOf("assistant", run.content)])
}
