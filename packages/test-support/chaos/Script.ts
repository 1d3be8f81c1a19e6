// The model of the chaos tests. It calls the tools of a task one step after the other, and at the end answers with
// their results. Its answer depends on the conversation alone, because every process asks it the same.
import { Reply } from "@svc-runtime/test-support"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import type { RecordedRequest } from "@svc-runtime/test-support/wire/WireServer"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Tasks from "./Tasks.ts"

interface SentMessage {
  readonly role: string
  readonly content?: unknown
}

const textOf = (content: unknown): string => typeof content === "string" ? content : JSON.stringify(content)

const callOf = (run: string, call: SideEffectLog.ToolName | Tasks.Delegation) =>
  typeof call === "string" ? { name: call, arguments: ["{\"what\":", "\"tea\"}"] } : {
    name: "delegate_task_to_member",
    arguments: [`{"member_id":"${call.member}",`, `"task":"${Tasks.tell(call.task, run)}"}`]
  }

const earlierSummary = /<earlier_summary>\\n(.*?)\\n<\/earlier_summary>/

/** What a job that reads runs is answered: one new memory, one new learning, or one more word of a summary. */
const answerOfReader = (prompt: string): string | undefined => {
  if (prompt.includes("You keep short memories")) {
    const change = { action: "create", id: "", memory: "Likes tea", topics: [], reason: "" }
    return JSON.stringify({ changes: [change] })
  }
  if (prompt.includes("You keep the summary")) {
    return JSON.stringify({ summary: `${earlierSummary.exec(prompt)?.[1] ?? ""} Tea.`, topics: [] })
  }
  return prompt.includes("You keep what is worth knowing")
    ? JSON.stringify({ user_memory: [{ memory: "Likes tea" }] })
    : undefined
}

const reply = (everyMillis: number | undefined) => ({ body }: RecordedRequest): Reply.Reply => {
  const messages = body["messages"] as ReadonlyArray<SentMessage>
  const read = answerOfReader(JSON.stringify(messages))
  if (read !== undefined) return Reply.answer({ text: [read] }, everyMillis)
  if (textOf(messages.at(-1)?.content).includes("<background_task_result")) {
    return Reply.answer({ text: ["I have it."] }, everyMillis)
  }
  const { run, task } = Tasks.taskIn(textOf(messages.find(({ role }) => role === "user")?.content))
  const step = messages.filter(({ role }) => role === "assistant").length
  const calls = Tasks.scripts[task][step]
  if (calls === undefined) {
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)).join()
    return Reply.answer(
      { text: ["I have ", ...SideEffectLog.receiptsIn(results).map((each) => `[${each}]`), "."] },
      everyMillis
    )
  }
  const toolCalls = calls.map((call, index) => ({ id: `call-${step}-${index}`, ...callOf(run, call) }))
  return Reply.answer({ text: ["One", " moment"], toolCalls, usage: Tasks.usage }, everyMillis)
}

/** Speaks a word every so many milliseconds, or all at once. */
export const make = (everyMillis?: number) => OpenAiChat.answering(reply(everyMillis))
