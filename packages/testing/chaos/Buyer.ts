// What the model says to the agent of the chaos tests: it looks, reserves and pays, one step after the other, and at the
// end it says what it has got. It is asked the same by every process, so its words depend on the conversation alone.
import { Reply } from "@svc/testing"
import * as OpenAiChat from "@svc/testing/wire/OpenAiChat"
import type { RecordedRequest } from "@svc/testing/wire/WireServer"
import type { ToolName } from "./Ledger.ts"

/** The calls of each step. */
export const steps: ReadonlyArray<ReadonlyArray<ToolName>> = [["look", "reserve", "pay"], ["pay"], ["reserve", "look"]]

interface Said {
  readonly role: string
  readonly content?: unknown
}

const textOf = (content: unknown): string => typeof content === "string" ? content : JSON.stringify(content)

const reply = (everyMillis: number | undefined) => ({ body }: RecordedRequest): Reply.Reply => {
  const said = body["messages"] as ReadonlyArray<Said>
  const step = said.filter(({ role }) => role === "assistant").length
  const calls = steps[step]
  if (calls === undefined) {
    const receipts = said.filter(({ role }) => role === "tool").map(({ content }) => textOf(content))
    return Reply.answer({ text: ["I have ", ...receipts.map((receipt) => `[${receipt}]`), "."] }, everyMillis)
  }
  const toolCalls = calls.map((name, index) => ({
    id: `call-${step}-${index}`,
    name,
    arguments: ["{\"what\":", "\"tea\"}"]
  }))
  return Reply.answer({ text: ["One", " moment"], toolCalls, usage: { input: 10, output: 5 } }, everyMillis)
}

/** Speaks a word every so many milliseconds, or all at once. */
export const make = (everyMillis?: number) => OpenAiChat.answering(reply(everyMillis))
