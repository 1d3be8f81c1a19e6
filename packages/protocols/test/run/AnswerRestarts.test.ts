// An answer that breaks off and is made again, on the wires that show nothing but text.
import { expect, it } from "vitest"
import * as ContractStream from "../../src/a2a/ContractStream.ts"
import * as CompletionStream from "../../src/openai/CompletionStream.ts"
import * as RunPieces from "../../src/run/RunPieces.ts"
import { completed, content, event, framesOf } from "../Events.ts"

const restarted = [
  event("RunStarted"),
  content("Hel"),
  event("RunContinued"),
  content("Hello."),
  event("ModelRequestCompleted"),
  completed("Hello.")
]

it("the chunks of a completion end with an error when the answer begins again, because they take no text back", () => {
  const run = { run_id: "r", session_id: "s", model: "a", created: 1 }
  const frames = framesOf(CompletionStream.make({ ...run, includesUsage: true }), restarted)
  expect(frames).toMatchObject([
    { choices: [{ delta: { role: "assistant" } }] },
    { choices: [{ delta: { content: "Hel" } }] },
    { error: { message: "The model answers again: the text so far is void. The run continues" } }
  ])
})

it("a completion continues when only reasoning begins again, which its chunks do not show", () => {
  const run = { run_id: "r", session_id: "s", model: "a", created: 1 }
  const encoder = CompletionStream.make({ ...run, includesUsage: false })
  const again = [event("RunStarted"), content("", "Hm"), event("RunContinued"), content("Hello."), completed("Hello.")]
  const frames = framesOf(encoder, again)
  expect(frames).toMatchObject([
    { choices: [{ delta: { role: "assistant" } }] },
    { choices: [{ delta: { content: "Hello." } }] },
    { choices: [{ delta: {}, finish_reason: "stop" }] }
  ])
})

it("the task of a contract's stream has the answer that was made again, in another message than the void text", () => {
  let ids = 0
  const stream = ContractStream.make({ taskId: "r", contextId: "s", newId: () => `id ${ids++}` })
  const pieces = RunPieces.make("r")
  const cancelled = [...restarted.slice(0, -1), event("RunCancelled", { reason: "" })]
  const frames = cancelled.flatMap((each) => stream.push(each, pieces.push(each)))
  const messages = frames.filter(({ event }) => event === "Message").map(({ result }) => result["messageId"])
  expect(new Set(messages).size).toBe(2)
  expect(frames.at(-1)).toMatchObject({
    result: { history: [{ parts: [{ text: "Hello." }, { text: "Run was cancelled" }] }] }
  })
})
